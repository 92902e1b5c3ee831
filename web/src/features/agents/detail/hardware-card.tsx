import type { Agent } from "@sonde/proto/http/agents/agents";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../../ui/card.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { DiskTable } from "./disk-table.tsx";
import { NetworkTable } from "./network-table.tsx";
import type { Thresholds } from "../thresholds/usage-tone.ts";

/** Every disk and every interface of the newest sample, whole. */
export function HardwareCard({ agent: { latest }, thresholds }: { agent: Agent; thresholds: Thresholds }) {
  const { t } = useTranslation();
  const [view, setView] = useState<"disks" | "network">("disks");
  const { disks = [], network = [] } = latest ?? {};
  return (
    <Card>
      <Tabs
        label={t("agents.viewLabel")}
        value={view}
        onChange={setView}
        tabs={[
          {
            value: "disks",
            label: `${t("agent.disks")} (${disks.length})`,
            content:
              disks.length === 0 ? (
                <EmptyState title={t("agent.noDisks")} />
              ) : (
                <DiskTable disks={disks} threshold={thresholds.disk} />
              ),
          },
          {
            value: "network",
            label: `${t("agent.network")} (${network.length})`,
            content:
              network.length === 0 ? (
                <EmptyState title={t("agent.noNetwork")} />
              ) : (
                <NetworkTable interfaces={network} />
              ),
          },
        ]}
      />
    </Card>
  );
}
