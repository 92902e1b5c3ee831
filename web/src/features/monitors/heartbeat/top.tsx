import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { formatDateTime, formatDuration, formatPercent, formatRelative, formatSpan } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { shownState } from "../../../ui/badge.tsx";
import { Spinner } from "../../../ui/button.tsx";
import { Card, Entry, Tile, TileRow } from "../../../ui/card.tsx";
import { Time } from "../../../ui/time.tsx";
import { HeartbeatAddress } from "./address-card.tsx";
import { type HeartbeatMonitor, usePingsInfiniteQuery } from "./api.ts";
import { FactsCard } from "./facts.tsx";
import { GuideCard } from "./guide.tsx";

export default function HeartbeatTop({ monitor }: { monitor: HeartbeatMonitor }) {
  const { mayChange } = useSession();
  const { dueAt, lastRun, running, lastCheckedAt } = monitor;
  const hasPings = dueAt !== null || lastRun !== null || running.length > 0 || lastCheckedAt !== null;
  // The guide shows the first ping and stays until the page is opened again.
  const [isNew] = useState(!hasPings);
  return (
    <>
      <HeartbeatTiles monitor={monitor} />
      {isNew && mayChange && <GuideCard monitor={monitor} hasPings={hasPings} />}
      {hasPings && <RunsCard monitor={monitor} />}
      {hasPings && <FactsCard monitor={monitor} />}
      <HeartbeatAddress monitor={monitor} hasGuide={!isNew} />
    </>
  );
}

function HeartbeatTiles({ monitor }: { monitor: HeartbeatMonitor }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const nowMs = useNow();
  const { id, statusSince, lastCheckedAt, lastRun, uptime } = monitor;
  // `lastCheckedAt` may be the time of a missed ping.
  const { data } = usePingsInfiniteQuery(id);
  const lastPingAt = data?.pages[0]?.pings[0]?.at ?? lastCheckedAt;
  const state = shownState(monitor);
  const took = lastRun?.durationMs ?? null;
  return (
    <TileRow className="lg:grid-cols-4">
      <Tile
        label={t("monitor.currentStatus")}
        value={t(`status.detail.${state}`)}
        tone={state === "up" || state === "down" ? state : "plain"}
        note={t("monitor.since", { span: formatSpan(nowMs - Date.parse(statusSince), language) })}
      />
      <Tile
        label={t("heartbeat.tiles.lastPing")}
        value={lastPingAt === null ? "–" : formatRelative(Math.min(Date.parse(lastPingAt), nowMs), nowMs, language)}
        note={
          lastPingAt === null
            ? t("heartbeat.tiles.noPing")
            : took !== null && t("heartbeat.tiles.took", { span: formatDuration(took, language) })
        }
      />
      <DueTile monitor={monitor} nowMs={nowMs} />
      <Tile
        label={t("monitor.uptime30d")}
        value={formatPercent(uptime.d30, language)}
        note={t("heartbeat.tiles.uptime24h", { percent: formatPercent(uptime.h24, language) })}
      />
    </TileRow>
  );
}

function DueTile({ monitor: { status, dueAt, deadlineAt }, nowMs }: { monitor: HeartbeatMonitor; nowMs: number }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const label = t("heartbeat.tiles.due");
  if (status === "paused") return <Tile label={label} value="–" note={t("monitor.pausedNote")} />;
  if (dueAt === null) return <Tile label={label} value="–" note={t("heartbeat.tiles.afterFirst")} />;
  const awayMs = Date.parse(dueAt) - nowMs;
  const isLate = awayMs < -999;
  const value = isLate
    ? t("heartbeat.tiles.late", { span: formatSpan(-awayMs, language) })
    : awayMs < 1000
      ? t("heartbeat.tiles.anyMoment")
      : formatSpan(awayMs, language);
  return (
    <Tile
      label={label}
      value={
        <time dateTime={dueAt} title={formatDateTime(dueAt, language)}>
          {value}
        </time>
      }
      tone={isLate ? "warn" : "plain"}
      note={deadlineAt !== null && t("heartbeat.tiles.deadline", { when: formatDateTime(deadlineAt, language) })}
    />
  );
}

function RunsCard({ monitor: { running, lastRun } }: { monitor: HeartbeatMonitor }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  return (
    <Card title={t("heartbeat.runs.title")}>
      <div className="grid gap-5 md:grid-cols-2">
        <div>
          <h3 className="mb-2 text-[13px] font-medium text-muted">{t("heartbeat.runs.now")}</h3>
          {running.length === 0 ? (
            <p className="text-muted">{t("heartbeat.runs.none")}</p>
          ) : (
            <ul className="flex flex-col gap-1">
              {running.map(({ runId, since }) => (
                <li key={runId ?? since} className="tnum flex flex-wrap items-center gap-x-2" title={runId}>
                  <Spinner />
                  <span className="font-medium">{formatSpan(nowMs - Date.parse(since), i18n.language)}</span>
                  <span className="text-[13px] text-muted">
                    <Time at={since} short />
                    {runId !== undefined && ` · ${t("heartbeat.runs.run", { id: runId.slice(0, 8) })}`}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
        <div>
          <h3 className="mb-2 text-[13px] font-medium text-muted">{t("heartbeat.runs.last")}</h3>
          {lastRun === null ? (
            <p className="text-muted">–</p>
          ) : (
            <dl className="grid grid-cols-3 gap-x-4">
              <Entry name={t("heartbeat.runs.started")}>
                {lastRun.startedAt === null ? "–" : <Time at={lastRun.startedAt} short />}
              </Entry>
              <Entry name={t("heartbeat.runs.duration")}>{formatDuration(lastRun.durationMs, i18n.language)}</Entry>
              <Entry name={t("heartbeat.runs.exitCode")}>{lastRun.exitCode ?? "–"}</Entry>
            </dl>
          )}
        </div>
      </div>
    </Card>
  );
}
