import type { HistoryRange } from "@sonde/proto/http/checks";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { usePolling } from "../../app/polling.ts";
import { ResponseLegend } from "../../charts/chart-legend.tsx";
import { formatDateTime, formatDay, formatPercent, formatTime } from "../../lib/format.ts";
import { useMedia } from "../../lib/media.ts";
import { Card } from "../../ui/card.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { StateBars } from "../../ui/state-bars.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { type History, useHistoryQuery } from "./api.ts";
import { groupCells } from "./cells.ts";

const ResponseChart = lazy(() => import("../../charts/response-chart.tsx"));
const mostBars = 72;

type HistoryCardProps = { id: number; range: HistoryRange; onRange: (range: HistoryRange) => void };

/** State and response time over a day or a month. */
export function HistoryCard({ id, range, onRange }: HistoryCardProps) {
  const { t } = useTranslation();
  const { currentData, error, isFetching, refetch } = useHistoryQuery({ id, range }, { pollingInterval: usePolling() });
  return (
    <Card
      title={t("monitor.history")}
      actions={
        <Segmented
          label={t("monitor.range")}
          value={range}
          onChange={onRange}
          options={[
            { value: "24h", label: t("monitor.range24h") },
            { value: "30d", label: t("monitor.range30d") },
          ]}
        />
      }
    >
      {error !== undefined && currentData === undefined ? (
        <ErrorState message={errorText(error, "fetchMonitors")} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <div className="flex flex-col gap-6">
          <States history={currentData} range={range} />
          <Responses history={currentData} range={range} />
        </div>
      )}
    </Card>
  );
}

function States({ history, range }: { history: History | undefined; range: HistoryRange }) {
  const { t, i18n } = useTranslation();
  const language = i18n.language;
  if (history === undefined) return <Skeleton className="h-[92px] w-full" />;
  const groups = groupCells(history.buckets, history.step, mostBars);
  const isDays = history.step >= 86_400;
  const cells = groups.map(({ fromMs, toMs, state, checks, availability, error, inMaintenance }) => ({
    key: String(fromMs),
    state,
    when: isDays ? formatDay(fromMs, language) : `${formatDateTime(fromMs, language)} – ${formatTime(toMs, language)}`,
    figures:
      checks === 0 ? "" : `${formatPercent(availability, language)} · ${t("monitor.checksOf", { count: checks })}`,
    detail: error,
    inMaintenance,
  }));
  const first = groups[0]?.fromMs;
  return (
    <div>
      <h3 className="mb-2 text-[13px] font-medium text-muted">{t("monitor.states")}</h3>
      <StateBars
        label={t("monitor.statesLabel", { range: t(`monitor.range${range}`) })}
        cells={cells}
        from={first === undefined ? "" : isDays ? formatDay(first, language) : formatTime(first, language)}
        to={t("common.now")}
      />
    </div>
  );
}

function Responses({ history, range }: { history: History | undefined; range: HistoryRange }) {
  const { t } = useTranslation();
  const compact = useMedia("(max-width: 40rem)");
  const points = history?.buckets.map(({ start, p50, p95, max, inMaintenance = false }) => ({
    start: Date.parse(start),
    p50,
    p95,
    max,
    inMaintenance,
  }));
  const isEmpty = points?.every(({ p50 }) => p50 === null) === true;
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-[13px] font-medium text-muted">{t("monitor.chart")}</h3>
        <ResponseLegend hasMaintenance={points?.some(({ inMaintenance }) => inMaintenance) === true} />
      </div>
      {isEmpty ? (
        <EmptyState title={t("monitor.noChart")} className="h-64 justify-center" />
      ) : (
        <Suspense fallback={<Skeleton className="h-64 w-full" />}>
          {points === undefined ? (
            <Skeleton className="h-64 w-full" />
          ) : (
            <ResponseChart
              points={points}
              stepSeconds={history?.step ?? 300}
              label={t("monitor.chartLabel", { range: t(`monitor.range${range}`) })}
              compact={compact}
            />
          )}
        </Suspense>
      )}
    </div>
  );
}
