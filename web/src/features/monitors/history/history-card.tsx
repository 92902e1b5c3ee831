import type { HistoryRange } from "@sonde/proto/http/monitors/checks";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { usePolling } from "../../../app/hooks.ts";
import { formatDateTime, formatPercent, formatTime, formatLocalDay } from "../../../lib/format.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { StateBars } from "../../../ui/health/state-bars.tsx";
import { ErrorState, Skeleton } from "../../../ui/states.tsx";
import { type MonitorHistory, useHistoryQuery } from "../api.ts";
import { groupCells } from "./cells.ts";
import { type DetailParams, ranges } from "../detail/detail-params.ts";
import { HistoryFigures } from "./history-figures.tsx";
import { ResponsesChart } from "./history-chart.tsx";

const mostBars = 72;

/** State and response time over an hour to a month. */
export function HistoryCard({ id, params }: { id: number; params: DetailParams }) {
  const { t } = useTranslation();
  const { range, change } = params;
  const pollingInterval = usePolling();
  const isNarrow = useMedia("(max-width: 24rem)");
  // A month is drawn by the hour; its bars and its table are days.
  const drawn = useHistoryQuery({ id, range, ...(range === "30d" && { step: "1h" }) }, { pollingInterval });
  const listed = useHistoryQuery({ id, range }, { pollingInterval });
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
        <ErrorState
          message={errorText(failed.error, "fetchMonitors")}
          onRetry={() => {
            void drawn.refetch();
            if (range === "30d") void listed.refetch();
          }}
          retrying={drawn.isFetching || listed.isFetching}
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
