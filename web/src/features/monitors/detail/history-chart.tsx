import type { HistoryBucket, HistoryRange } from "@sonde/proto/http/monitors/checks";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { ResponseLegend } from "../../../charts/chart-legend.tsx";
import { phases, sharesOf } from "../../../charts/phases-bar.tsx";
import { fitScale } from "../../../charts/scales.ts";
import { formatDuration } from "../../../lib/format.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { choiceFilter, choiceParam, readParams, writeParams } from "../../../lists/params.ts";
import { Segmented } from "../../../ui/choice.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import type { MonitorHistory } from "../api.ts";

const ResponseChart = lazy(() => import("../../../charts/response-chart.tsx"));
const PhasesChart = lazy(() => import("../../../charts/phases-chart.tsx"));

/** Response times of the range, as percentiles or as the phases that they are made of. */
export function ResponsesChart({ history, params }: { history: MonitorHistory | undefined; params: DetailParams }) {
  const { t, i18n } = useTranslation();
  const { chart, change } = params;
  const points = history && chartPoints(history.buckets);
  const { peak } = fitScale(points ?? []);
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h3 className="text-[13px] font-medium text-muted">{t("monitor.chart")}</h3>
          <Segmented
            label={t("monitorDetail.chartView")}
            value={chart}
            onChange={(next) => change({ chart: next })}
            options={[
              { value: "percentiles", label: t("monitorDetail.percentiles") },
              { value: "phases", label: t("monitorDetail.phases") },
            ]}
          />
        </div>
        <ResponseLegend
          phases={chart === "phases" ? phasesOf(points ?? []) : undefined}
          hasMaintenance={points?.some(({ inMaintenance }) => inMaintenance) === true}
          peak={
            peak === null ? undefined : ` ${t("monitorDetail.peak", { value: formatDuration(peak, i18n.language) })}`
          }
        />
      </div>
      <Suspense fallback={<Skeleton className="h-64 w-full" />}>
        {points === undefined ? (
          <Skeleton className="h-64 w-full" />
        ) : (
          <Drawn points={points} stepSeconds={history?.step ?? 300} params={params} />
        )}
      </Suspense>
    </div>
  );
}

type ChartPoint = ReturnType<typeof chartPoints>[number];
type DrawnProps = { points: readonly ChartPoint[]; stepSeconds: number; params: DetailParams };

function Drawn({ points, stepSeconds, params: { chart, range } }: DrawnProps) {
  const { t } = useTranslation();
  const compact = useMedia("(max-width: 40rem)");
  const period = t(`monitor.range${range}`);
  if (chart === "phases") {
    if (points.every(({ timings }) => timings === undefined)) {
      return <EmptyState title={t("monitorDetail.noPhases")} className="h-64 justify-center" />;
    }
    const label = t("monitorDetail.phasesLabel", { range: period });
    return <PhasesChart points={points} stepSeconds={stepSeconds} label={label} compact={compact} />;
  }
  if (points.every(({ p50 }) => p50 === null)) {
    return <EmptyState title={t("monitor.noChart")} className="h-64 justify-center" />;
  }
  const label = t("monitor.chartLabel", { range: period });
  return <ResponseChart points={points} stepSeconds={stepSeconds} label={label} compact={compact} />;
}

/** The phases that some step has; all of them where nothing is known yet. */
function phasesOf(points: readonly ChartPoint[]) {
  const seen = new Set(
    points.flatMap(({ timings }) => (timings === undefined ? [] : sharesOf(timings))).map(([id]) => id),
  );
  return seen.size === 0 ? phases : phases.filter((phase) => seen.has(phase));
}

/** A chart of fewer steps would look like more than it is. */
const fewest = 6;

/**
 * The steps that the chart draws: from the first in which the monitor was due, since a young one has nothing before. Times are
 * epoch milliseconds, figures milliseconds.
 */
export function chartPoints(buckets: readonly HistoryBucket[]) {
  const first = buckets.findIndex(({ max, coverage }) => max !== null || coverage !== null);
  const from = Math.max(0, Math.min(first, buckets.length - fewest));
  return buckets.slice(from).map(({ start, p50, p95, max, timings, inMaintenance = false }) => ({
    start: Date.parse(start),
    inMaintenance,
    p50,
    p95,
    max,
    timings,
  }));
}

export const ranges = ["1h", "24h", "7d", "30d"] as const satisfies readonly HistoryRange[];
type ChartView = "percentiles" | "phases";
type RecordsView = "history" | "checks" | "incidents";

const youngMs = 6 * 3_600_000;

/**
 * What the detail page shows, kept in the address: the range (an hour at first, while the monitor is younger than six), what
 * the chart draws, which records are listed, and whether those are failures alone.
 */
export function useDetailParams(createdAt: string) {
  const [address, setAddress] = useSearchParams();
  // What is preselected does not change while the page is open.
  const [openedMs] = useState(() => Date.now());
  const initial: HistoryRange = openedMs - Date.parse(createdAt) < youngMs ? "1h" : "24h";
  const table = {
    range: choiceParam<HistoryRange>([initial, ...ranges]),
    chart: choiceParam<ChartView>(["percentiles", "phases"]),
    tab: choiceParam<RecordsView>(["history", "checks", "incidents"]),
    failed: choiceFilter(["true"]),
  };
  const params = readParams(table, address);
  return {
    ...params,
    change: (part: Partial<typeof params>) => setAddress(writeParams(table, { ...params, ...part }), { replace: true }),
  };
}
export type DetailParams = ReturnType<typeof useDetailParams>;
