import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../../app/paths.ts";
import { SeverityBadge, SourceLink } from "../../../entities/incidents/severity.tsx";
import { formatNumber, formatPercent, formatRelative, formatSpan } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { shownState } from "../../../ui/badge.tsx";
import { Card, Tile, TileRow } from "../../../ui/card.tsx";
import { IncidentNotes, Lasted } from "../../../ui/health/incident-list.tsx";
import { Reason } from "../../../ui/health/reason.tsx";
import { useMonitorIncidentsQuery } from "../api.ts";
import { AddressCard } from "../heartbeat/address-card.tsx";
import { Snippet } from "../heartbeat/guide.tsx";
import { snippets } from "./snippets.ts";

type InboundMonitor = Extract<Monitor, { type: "inbound" }>;
const maxShown = 20;
const rankOf = ({ severity = "info" }: Incident) => ["critical", "warning", "info"].indexOf(severity);

export default function InboundTop({ monitor }: { monitor: InboundMonitor }) {
  const { t } = useTranslation();
  const { id, format, inboundUrl } = monitor;
  const { data } = useMonitorIncidentsQuery(id);
  const open = data?.incidents
    .filter(({ closedAt }) => closedAt === undefined)
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  return (
    <>
      <InboundTiles monitor={monitor} count={open?.length} />
      {open !== undefined && open.length > 0 && (
        <Card title={t("inbound.open")} gap="gap-0">
          <ul className="divide-y divide-line">
            {open.slice(0, maxShown).map((incident) => (
              <li key={incident.id} className="flex flex-wrap items-start gap-x-3 gap-y-1 py-2.5">
                <SeverityBadge severity={incident.severity} />
                <p className="min-w-48 flex-1 break-words">
                  <Link to={paths.incident(incident.id)} className="font-medium hover:underline">
                    <Reason text={incident.cause} />
                  </Link>
                  <IncidentNotes incident={incident} />
                </p>
                <SourceLink link={incident.link} />
                <span className="tnum text-[13px] text-faint">
                  <Lasted from={incident.openedAt} to={undefined} />
                </span>
              </li>
            ))}
          </ul>
          {open.length > maxShown && (
            <Link
              to={`${paths.incidents}?open=true&target=monitor:${id}`}
              className="inline-flex min-h-6 items-center text-accent-strong hover:underline"
            >
              {t("inbound.all")}
            </Link>
          )}
        </Card>
      )}
      <AddressCard monitor={monitor} url={inboundUrl} title={t("inbound.address")} text={t("inbound.addressText")}>
        <Snippet
          title={t(`inbound.snippets.${format}.title`)}
          note={t(`inbound.snippets.${format}.note`)}
          text={snippets[format](inboundUrl)}
        />
      </AddressCard>
    </>
  );
}

/** The API returns at most 50 incidents, open ones first. */
const maxCounted = 50;

function InboundTiles({ monitor, count }: { monitor: InboundMonitor; count: number | undefined }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const nowMs = useNow();
  const { statusSince, lastCheckedAt, uptime } = monitor;
  const state = shownState(monitor);
  return (
    <TileRow className="lg:grid-cols-4">
      <Tile
        label={t("monitor.currentStatus")}
        value={t(`status.detail.${state}`)}
        tone={state === "up" || state === "down" ? state : "plain"}
        note={t("monitor.since", { span: formatSpan(nowMs - Date.parse(statusSince), language) })}
      />
      <Tile
        label={t("inbound.open")}
        value={count === undefined ? "–" : `${formatNumber(count, language)}${count === maxCounted ? "+" : ""}`}
        note={t("inbound.downNote")}
      />
      <Tile
        label={t("inbound.received")}
        value={
          lastCheckedAt === null ? "–" : formatRelative(Math.min(Date.parse(lastCheckedAt), nowMs), nowMs, language)
        }
        note={lastCheckedAt === null && t("inbound.nothing")}
      />
      <Tile
        label={t("monitor.uptime30d")}
        value={formatPercent(uptime.d30, language)}
        note={t("heartbeat.tiles.uptime24h", { percent: formatPercent(uptime.h24, language) })}
      />
    </TileRow>
  );
}
