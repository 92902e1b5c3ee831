import type { HistoryBucket } from "@sonde/proto/http/monitors/checks";
import { useTranslation } from "react-i18next";
import { type Band, plotEdges } from "../../../charts/scales.ts";
import { formatDateTime, formatLocalDay, formatPercent, formatTime } from "../../../lib/format.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { type CellState, StateBars, type StateCell } from "../../../ui/health/state-bars.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import type { MonitorHistory } from "../api.ts";
import type { DetailParams } from "./params.ts";

const maxBars = 72;
const daySeconds = 86_400;

type StatesProps = {
  history: MonitorHistory | undefined;
  params: DetailParams;
  period: string | undefined;
  slow?: readonly Band[] | undefined;
};

export function StatesOverTime({ history, params, period, slow = [] }: StatesProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const compact = useMedia("(max-width: 40rem)");
  if (history === undefined) return <Skeleton className="h-[92px] w-full" />;
  const { range, bar, listChecksOf } = params;
  const { buckets, step, timeZone } = history;
  const groups = groupCells(buckets, step, maxBars);
  const isDays = step >= daySeconds;
  const spansDays = range === "7d" || range === "30d";
  const edge = (atMs: number) =>
    isDays
      ? formatLocalDay(atMs, language, timeZone)
      : spansDays && period === undefined
        ? formatLocalDay(atMs, language)
        : formatTime(atMs, language);
  const cells = groups.map<StateCell>(({ fromMs, toMs, state, checks, up, availability, error, inMaintenance }) => ({
    key: String(fromMs),
    length: toMs - fromMs,
    state: state === "up" && slow.some((band) => band.fromMs < toMs && band.toMs > fromMs) ? "slow" : state,
    failed: availability === null ? 0 : 100 - availability,
    when: isDays
      ? formatLocalDay(fromMs, language, timeZone)
      : `${formatDateTime(fromMs, language)} – ${formatTime(toMs, language)}`,
    figures:
      checks === 0
        ? ""
        : `${formatPercent(availability, language)} · ${
            up === checks
              ? t("monitor.checksOf", { count: checks })
              : t("monitorDetail.failedOf", { failed: checks - up, count: checks })
          }`,
    detail: error,
    inMaintenance,
  }));
  const [first, last] = [groups[0], groups.at(-1)];
  const { left, right } = plotEdges(compact);
  const chosen = bar === undefined ? -1 : groups.findIndex(({ fromMs }) => fromMs === bar.fromMs);
  return (
    <div>
      <h3 className="mb-2 text-[13px] font-medium text-muted">
        {t("monitor.states")}
        {isDays && <span className="font-normal"> · {t("monitorDetail.daysOf", { zone: timeZone })}</span>}
      </h3>
      <div style={{ paddingLeft: left, paddingRight: right }}>
        <StateBars
          label={
            period === undefined
              ? t("monitor.statesLabel", { range: t(`monitor.range${range}`) })
              : `${t("monitor.states")}: ${period}`
          }
          cells={cells}
          from={first === undefined ? "" : edge(first.fromMs)}
          to={period === undefined || last === undefined ? t("common.now") : edge(last.toMs)}
          hint={t("monitorDetail.barHint")}
          chosen={chosen === -1 ? undefined : chosen}
          onChoose={(index) => {
            const group = groups[index];
            if (group !== undefined) listChecksOf({ fromMs: group.fromMs, toMs: group.toMs });
          }}
        />
      </div>
    </div>
  );
}

/** Groups steps into at most `max` bars. All except the last cover the same time. Times are in milliseconds. */
export function groupCells(buckets: readonly HistoryBucket[], stepSeconds: number, max: number) {
  const size = Math.max(1, Math.ceil(buckets.length / max));
  const groups = Array.from({ length: Math.ceil(buckets.length / size) }, (_, index) =>
    group(buckets.slice(index * size, (index + 1) * size), stepSeconds),
  );
  // Days differ in length when clocks change, so each bar ends where the next one begins.
  return groups.map((each, index) => ({ ...each, toMs: groups[index + 1]?.fromMs ?? each.toMs }));
}

function group(buckets: readonly HistoryBucket[], stepSeconds: number) {
  const checks = buckets.reduce((sum, bucket) => sum + bucket.checks, 0);
  const up = buckets.reduce((sum, bucket) => sum + bucket.up, 0);
  const isDue = buckets.some(({ coverage }) => coverage !== null);
  const inMaintenance = buckets.some((bucket) => bucket.inMaintenance === true);
  const unseen = isDue ? "noData" : inMaintenance ? "maintenance" : "notDue";
  const state: CellState = checks === 0 ? unseen : up === checks ? "up" : up === 0 ? "down" : "partial";
  const starts = buckets.map(({ start }) => Date.parse(start));
  return {
    fromMs: Math.min(...starts),
    toMs: Math.max(...starts) + stepSeconds * 1000,
    state,
    checks,
    up,
    availability: checks === 0 ? null : (up / checks) * 100,
    inMaintenance,
    error: buckets.findLast(({ error }) => error !== undefined)?.error,
  };
}
