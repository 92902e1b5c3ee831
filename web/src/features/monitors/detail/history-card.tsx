import type { HistoryBucket, HistoryRange, HistorySummary } from "@sonde/proto/http/monitors/checks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { usePolling } from "../../../app/hooks.ts";
import { QueryError } from "../../../app/screen.tsx";
import {
  formatDateTime,
  formatDuration,
  formatLocalDay,
  formatNumber,
  formatPercent,
  formatTime,
} from "../../../lib/format.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { type CellState, StateBars } from "../../../ui/health/state-bars.tsx";
import { ArrowDownIcon, ArrowUpIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { type MonitorHistory, useHistoryQuery } from "../api.ts";
import { type DetailParams, ranges, ResponsesChart } from "./history-chart.tsx";

const mostBars = 72;

export function HistoryCard({ id, params }: { id: number; params: DetailParams }) {
  const { t } = useTranslation();
  const { range, change } = params;
  const pollingInterval = usePolling();
  const isNarrow = useMedia("(max-width: 24rem)");
  // A month is drawn by the hour; its bars and its table are days.
  const drawn = useHistoryQuery({ id, range, ...(range === "30d" && { step: "1h" }) }, { pollingInterval });
  const listed = useHistoryQuery({ id, range }, { pollingInterval });
  const retry = () => {
    void drawn.refetch();
    if (range === "30d") void listed.refetch();
  };
  const failed = [drawn, listed].find(({ error, currentData }) => error !== undefined && currentData === undefined);
  return (
    <Card
      title={t("monitor.history")}
      actions={
        <Segmented
          label={t("monitor.range")}
          value={range}
          onChange={(next) => change({ range: next })}
          options={ranges.map((value) => ({
            value,
            label: t(isNarrow ? `monitorDetail.shortRange.${value}` : `monitor.range${value}`),
          }))}
        />
      }
    >
      {failed !== undefined ? (
        <QueryError
          query={{ error: failed.error, isFetching: drawn.isFetching || listed.isFetching, refetch: retry }}
          fallback="fetchMonitors"
        />
      ) : (
        <div className="flex flex-col gap-5">
          <HistoryFigures history={drawn.currentData} range={range} />
          <States history={listed.currentData} range={range} />
          <ResponsesChart history={drawn.currentData} params={params} />
        </div>
      )}
    </Card>
  );
}

const daySeconds = 86_400;

function States({ history, range }: { history: MonitorHistory | undefined; range: HistoryRange }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  if (history === undefined) return <Skeleton className="h-[92px] w-full" />;
  const { buckets, step, timeZone } = history;
  const groups = groupCells(buckets, step, mostBars);
  const isDays = step >= daySeconds;
  const cells = groups.map(({ fromMs, toMs, state, checks, availability, error, inMaintenance }) => ({
    key: String(fromMs),
    state,
    when: isDays
      ? formatLocalDay(fromMs, language, timeZone)
      : `${formatDateTime(fromMs, language)} – ${formatTime(toMs, language)}`,
    figures:
      checks === 0 ? "" : `${formatPercent(availability, language)} · ${t("monitor.checksOf", { count: checks })}`,
    detail: error,
    inMaintenance,
  }));
  const first = groups[0]?.fromMs;
  const firstText =
    first === undefined
      ? ""
      : isDays
        ? formatLocalDay(first, language, timeZone)
        : range === "7d"
          ? formatLocalDay(first, language)
          : formatTime(first, language);
  return (
    <div>
      <h3 className="mb-2 text-[13px] font-medium text-muted">
        {t("monitor.states")}
        {isDays && <span className="font-normal"> · {t("monitorDetail.daysOf", { zone: timeZone })}</span>}
      </h3>
      <StateBars
        label={t("monitor.statesLabel", { range: t(`monitor.range${range}`) })}
        cells={cells}
        from={firstText}
        to={t("common.now")}
      />
    </div>
  );
}

/**
 * Groups the steps of a history so that at most `most` bars are drawn; every bar but the last covers the same time.
 * Times are epoch milliseconds.
 */
export function groupCells(buckets: readonly HistoryBucket[], stepSeconds: number, most: number) {
  const size = Math.max(1, Math.ceil(buckets.length / most));
  return Array.from({ length: Math.ceil(buckets.length / size) }, (_, index) =>
    group(buckets.slice(index * size, (index + 1) * size), stepSeconds),
  );
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
    availability: checks === 0 ? null : (up / checks) * 100,
    inMaintenance,
    error: buckets.findLast(({ error }) => error !== undefined)?.error,
  };
}

const figures = ["p50", "p95", "failures", "coverage"] as const;
const tones = { better: "up", worse: "warn", same: "plain" } as const;

/** The range in four figures, each against the period of the same length before it. */
function HistoryFigures({ history, range }: { history: MonitorHistory | undefined; range: HistoryRange }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  if (history === undefined) return <Skeleton className="h-[76px] w-full" />;
  const { summary, previous } = history;
  const period = t(`monitor.range${range}`);
  const words = { language, points: (value: string) => t("monitorDetail.points", { value }) };
  const changes = figures.map((figure) => compare(figure, summary, previous, words));
  return (
    <div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        {figures.map((figure, index) => (
          <div key={figure} className="min-w-0">
            <dt className="text-[13px] text-muted">{t(`monitorDetail.figures.${figure}`)}</dt>
            <dd className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="tnum text-xl font-semibold tracking-tight">{textOf(figure, summary, language)}</span>
              <ChangeBadge change={changes[index] ?? null} against={t("monitorDetail.against", { range: period })} />
            </dd>
          </div>
        ))}
      </dl>
      <p aria-hidden="true" className="mt-1 min-h-5 text-[12px] text-faint">
        {changes.some((change) => change !== null) && t("monitorDetail.against", { range: period })}
      </p>
    </div>
  );
}

function textOf(figure: Figure, summary: HistorySummary, language: string): string {
  if (figure === "failures") return summary.checks === 0 ? "–" : formatNumber(summary.failures, language);
  if (figure === "coverage") return formatPercent(summary.coverage, language);
  return formatDuration(summary[figure], language);
}

const arrows: Record<FigureChange["direction"], ReactNode> = {
  up: <ArrowUpIcon className="size-3" />,
  down: <ArrowDownIcon className="size-3" />,
  same: null,
};

function ChangeBadge({ change, against }: { change: FigureChange | null; against: string }) {
  if (change === null) return null;
  return (
    <Badge tone={tones[change.verdict]} className="tnum">
      {arrows[change.direction]}
      {change.text}
      <span className="sr-only">{against}</span>
    </Badge>
  );
}

/** How a figure changed against the period before. */
type FigureChange = { text: string; direction: "up" | "down" | "same"; verdict: "better" | "worse" | "same" };
type Figure = (typeof figures)[number];

/** Null where one of both periods has no such figure. `points` says percentage points as people read them. */
export function compare(
  figure: Figure,
  now: HistorySummary,
  before: HistorySummary | null,
  { language, points }: { language: string; points: (value: string) => string },
): FigureChange | null {
  const [to, from] = [now[figure], before?.[figure] ?? null];
  if (to === null || from === null || now.checks === 0 || before?.checks === 0) return null;
  const isTime = figure === "p50" || figure === "p95";
  if (isTime && from === 0) return null;
  const change = Math.round((isTime ? to / from - 1 : to - from) * 100) / 100;
  const text = new Intl.NumberFormat(language, {
    style: isTime ? "percent" : "decimal",
    signDisplay: "exceptZero",
    maximumFractionDigits: isTime ? 0 : 2,
  }).format(change);
  const direction = change > 0 ? "up" : change < 0 ? "down" : "same";
  // More coverage is good; more of everything else is bad.
  const isGood = (direction === "up") === (figure === "coverage");
  const verdict = direction === "same" ? "same" : isGood ? "better" : "worse";
  return { text: figure === "coverage" ? points(text) : text, direction, verdict };
}
