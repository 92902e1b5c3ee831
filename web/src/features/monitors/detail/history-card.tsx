import { useTranslation } from "react-i18next";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { usePolling, useSession } from "../../../app/hooks.ts";
import { QueryError } from "../../../app/screen.tsx";
import type { Band } from "../../../charts/scales.ts";
import { formatPeriod } from "../../../lib/format.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { isPassive } from "../../../ui/health/schedule.ts";
import { type MonitorHistory, useHistoryQuery, useMonitorEditsQuery, useMonitorIncidentsQuery } from "../api.ts";
import { figuresOfJobs, HistoryFigures } from "./figures.tsx";
import { ResponsesChart } from "./history-chart.tsx";
import { MarksLane, marksOf } from "./marks.tsx";
import { historyQueries, type DetailParams, ranges } from "./params.ts";
import { StatesOverTime } from "./states.tsx";

export function HistoryCard({ monitor, params }: { monitor: Monitor; params: DetailParams }) {
  const { t, i18n } = useTranslation();
  const { id, type, status } = monitor;
  const { range, zoom, changeRange, zoomTo } = params;
  const pollingInterval = usePolling();
  const isNarrow = useMedia("(max-width: 24rem)");
  const queries = historyQueries(params);
  const drawn = useHistoryQuery({ id, ...queries.drawn }, { pollingInterval });
  const listed = useHistoryQuery({ id, ...queries.listed }, { pollingInterval });
  const { data: found } = useMonitorIncidentsQuery(id);
  const retry = () => {
    void drawn.refetch();
    void listed.refetch();
  };
  const failed = [drawn, listed].find(({ error, currentData }) => error !== undefined && currentData === undefined);
  const shown = listed.currentData && shownSteps(listed.currentData, zoom !== undefined);
  const axis = shown && axisOf(shown);
  const editsMs = useEdits(id, axis);
  const incidents = found?.incidents ?? [];
  const marks = axis && marksOf({ monitor, incidents, changes: shown.changes ?? [], editsMs, axis });
  const period = zoom === undefined ? undefined : formatPeriod(zoom, i18n.language);
  return (
    <Card
      title={t("monitor.history")}
      actions={
        <Segmented
          label={t("monitor.range")}
          value={range}
          onChange={changeRange}
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
          {period !== undefined && (
            <p role="status" className="-mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
              <span className="tnum font-medium">{period}</span>
              <Button size="sm" onClick={() => zoomTo(undefined)}>
                {t("monitorDetail.zoomOut", { range: t(`monitor.range${range}`) })}
              </Button>
            </p>
          )}
          <HistoryFigures
            {...(isPassive(type) && { figures: figuresOfJobs })}
            history={drawn.currentData}
            range={range}
            isZoomed={zoom !== undefined}
            isDown={status === "down"}
          />
          <StatesOverTime history={shown} params={params} period={period} slow={marks?.slow} />
          {axis !== undefined && marks !== undefined && <MarksLane marks={marks} axis={axis} />}
          {!isPassive(type) && (
            <ResponsesChart history={drawn.currentData} axis={axis} marks={marks} params={params} period={period} />
          )}
        </div>
      )}
    </Card>
  );
}

/** Times within the axis at which the monitor was edited, from the audit log. Administrators only. */
function useEdits(id: number, axis: Band | undefined): number[] | undefined {
  const { isAdmin } = useSession();
  const { fromMs = 0, toMs = 0 } = axis ?? {};
  const [since, until] = [fromMs, toMs].map((atMs) => new Date(atMs).toISOString()) as [string, string];
  const { data } = useMonitorEditsQuery({ id, since, until }, { skip: !isAdmin || axis === undefined });
  return data?.entries.map(({ at }) => Date.parse(at));
}

/** Fewer steps would look misleading. */
const minSteps = 6;

/** Returns the steps from the first due one, since a new monitor has no earlier data, or all of a zoomed range. */
export function shownSteps(history: MonitorHistory, isWhole: boolean): MonitorHistory {
  const { buckets } = history;
  const first = buckets.findIndex(
    ({ max, coverage, inMaintenance }) => max !== null || coverage !== null || inMaintenance === true,
  );
  const from = isWhole ? 0 : Math.max(0, Math.min(first, buckets.length - minSteps));
  return { ...history, buckets: buckets.slice(from) };
}

function axisOf({ buckets, step }: MonitorHistory): Band {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return { fromMs: 0, toMs: 0 };
  return { fromMs: Date.parse(first.start), toMs: Date.parse(last.start) + step * 1000 };
}
