import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { formatPercent, formatSpan } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { shownState } from "../../../ui/badge.tsx";
import { Card, Tile, TileRow } from "../../../ui/card.tsx";
import GroupMembers from "./members.tsx";

export default function GroupTop({ monitor }: { monitor: Extract<Monitor, { type: "group" }> }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const nowMs = useNow();
  const { id, name, statusSince, counts, needed, uptime } = monitor;
  const state = shownState(monitor);
  const counted = counts.up + counts.down;
  return (
    <>
      <TileRow className="lg:grid-cols-4">
        <Tile
          label={t("monitor.currentStatus")}
          value={t(`status.detail.${state}`)}
          tone={state === "up" || state === "down" ? state : "plain"}
          note={t("monitor.since", { span: formatSpan(nowMs - Date.parse(statusSince), language) })}
        />
        <Tile
          label={t("groups.members")}
          value={t("groups.upOf", { up: counts.up, count: counted })}
          note={
            t("groups.needed", { count: needed }) +
            (counts.ignored > 0 ? t("groups.ignored", { count: counts.ignored }) : "")
          }
        />
        <Tile label={t("monitor.uptime24h")} value={formatPercent(uptime.h24, language)} note={t("groups.exact")} />
        <Tile label={t("monitor.uptime30d")} value={formatPercent(uptime.d30, language)} />
      </TileRow>
      <Card title={t("groups.members")} gap="gap-0">
        <GroupMembers id={id} name={name} />
      </Card>
    </>
  );
}
