import type { HistoryBucket } from "@sonde/proto/http/monitors/checks";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { ChartProps } from "../../../charts/chart-frame.tsx";
import { ResponseLegend } from "../../../charts/chart-legend.tsx";
import { phases, sharesOf } from "../../../charts/phases-bar.tsx";
import { type Band, fitScale } from "../../../charts/scales.ts";
import { formatDuration } from "../../../lib/format.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { Segmented } from "../../../ui/choice.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import type { MonitorHistory } from "../api.ts";
import type { HistoryMarks } from "./marks.tsx";
import type { DetailParams } from "./params.ts";

const ResponseChart = lazy(async () => ({ default: (await import("../../../charts/drawn.ts")).ResponseChart }));
const PhasesChart = lazy(async () => ({ default: (await import("../../../charts/drawn.ts")).PhasesChart }));

type ResponsesProps = {
  history: MonitorHistory | undefined;
  axis: Band | undefined;
  marks: HistoryMarks | undefined;
  params: DetailParams;
  /** `undefined` for the whole range. */
  period: string | undefined;
};

export function ResponsesChart({ history, axis, marks, params, period }: ResponsesProps) {
  const { t, i18n } = useTranslation();
  const { chart, change } = params;
  const points = history && axis && chartPoints(history.buckets, axis);
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
        {points === undefined || axis === undefined ? (
          <Skeleton className="h-64 w-full" />
        ) : (
          <Drawn
            points={points}
            stepSeconds={history?.step ?? 300}
            axis={axis}
            marks={{
              incidents: (marks?.incidents ?? []).filter(({ incident }) => incident.kind !== "slow"),
              changes: (marks?.changes ?? []).map(({ atMs }) => atMs),
            }}
            params={params}
            period={period}
          />
        )}
      </Suspense>
    </div>
  );
}

type ChartPoint = ReturnType<typeof chartPoints>[number];
type DrawnProps = Pick<ChartProps<ChartPoint>, "points" | "stepSeconds" | "axis" | "marks"> &
  Pick<ResponsesProps, "params" | "period">;

function Drawn({ params: { chart, range: length, zoomTo }, period, ...drawn }: DrawnProps) {
  const { t } = useTranslation();
  const compact = useMedia("(max-width: 40rem)");
  const range = t(`monitor.range${length}`);
  const { points } = drawn;
  const frame = { ...drawn, compact, hint: t("monitorDetail.zoomHint"), onZoom: zoomTo };
  if (chart === "phases") {
    if (points.every(({ timings }) => timings === undefined)) {
      return <EmptyState title={t("monitorDetail.noPhases")} className="h-64 justify-center" />;
    }
    const label =
      period === undefined ? t("monitorDetail.phasesLabel", { range }) : `${t("monitorDetail.phases")}: ${period}`;
    return <PhasesChart {...frame} label={label} />;
  }
  if (points.every(({ p50 }) => p50 === null)) {
    return <EmptyState title={t("monitor.noChart")} className="h-64 justify-center" />;
  }
  const label = period === undefined ? t("monitor.chartLabel", { range }) : `${t("monitor.chart")}: ${period}`;
  return <ResponseChart {...frame} label={label} />;
}

/** Phases of the steps shown, or all phases without data. */
function phasesOf(points: readonly ChartPoint[]) {
  const seen = new Set(
    points.flatMap(({ timings }) => (timings === undefined ? [] : sharesOf(timings))).map(([id]) => id),
  );
  return seen.size === 0 ? phases : phases.filter((phase) => seen.has(phase));
}

/** Durations are in milliseconds. */
export function chartPoints(buckets: readonly HistoryBucket[], { fromMs, toMs }: Band) {
  const steps = buckets.map(({ start, p50, p95, max, timings, inMaintenance = false }) => ({
    start: Date.parse(start),
    inMaintenance,
    p50,
    p95,
    max,
    timings,
  }));
  return steps.filter(({ start }) => start >= fromMs && start < toMs);
}
