import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { errorText } from "../../../app/errors.ts";
import NotificationsCard from "../../../app/notifications/notifications-card.tsx";
import { usePolling } from "../../../app/hooks.ts";
import { DetailPlaceholder, isId, isMissing, Loaded } from "../../../app/screen.tsx";
import { MissingAgent } from "../agent-actions.tsx";
import { useAgentQuery } from "../api.ts";
import { DetailHeader } from "./detail-header.tsx";
import { DevicesCards } from "./devices-cards.tsx";
import { HardwareCard } from "./hardware-card.tsx";
import { IncidentsCard } from "./incidents-card.tsx";
import { LiveTiles } from "./live-tiles.tsx";
import { MetricsCard } from "./metrics-card.tsx";
import { SystemCard } from "./system-card.tsx";
import { ThresholdsCard } from "../thresholds/thresholds-card.tsx";
import { useThresholds } from "../thresholds/thresholds.ts";
import { Alert } from "../../../ui/alert.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";

export default function DetailScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const query = useAgentQuery(id, { skip: !isId(id), pollingInterval: usePolling() });
  const header = <PageHeader title={t("agents.title")} />;
  if (isMissing(id, query.error)) {
    return (
      <>
        {header}
        <MissingAgent />
      </>
    );
  }
  return (
    <Loaded query={query} fallback="fetchAgents" placeholder={<DetailPlaceholder />} header={header}>
      {({ agent }) => <Detail agent={agent} error={query.error} />}
    </Loaded>
  );
}

function Detail({ agent, error }: { agent: Agent; error: unknown }) {
  const inForce = useThresholds(agent);
  const { id } = agent;
  const { thresholds } = inForce;
  return (
    <div className="flex flex-col gap-4">
      <DetailHeader agent={agent} />
      {error !== undefined && <Alert kind="error">{errorText(error, "fetchAgents")}</Alert>}
      <LiveTiles agent={agent} thresholds={thresholds} />
      <ThresholdsCard key={`thresholds ${id}`} agent={agent} inForce={inForce} />
      <MetricsCard key={id} id={id} thresholds={thresholds} />
      <HardwareCard agent={agent} thresholds={thresholds} />
      <DevicesCards agent={agent} />
      <SystemCard agent={agent} />
      <NotificationsCard target={{ type: "agent", id }} dependsOn={agent.dependsOn} />
      <IncidentsCard id={id} />
    </div>
  );
}
