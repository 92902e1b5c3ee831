import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ResponseLegend } from "../../../charts/chart-legend.tsx";
import { fitScale } from "../../../charts/scales.ts";
import { phases, sharesOf } from "../../../charts/phases-bar.tsx";
import { formatDuration } from "../../../lib/format.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { Segmented } from "../../../ui/choice.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import type { MonitorHistory } from "../api.ts";
import type { DetailParams } from "../detail/detail-params.ts";
import { type ChartPoint, chartPoints } from "./history-points.ts";

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
