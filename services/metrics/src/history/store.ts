import type { ClickHouseClient } from "@clickhouse/client";
import { delay, newestFault, response, scheduledChecks, slotRange } from "../rollups/figures.ts";
import type { SpanFigures } from "../rollups/merge.ts";
import { type PhaseFigures, phasesOfChecks } from "../rollups/phases.ts";
import { instantText } from "../rollups/instants.ts";
import {
  dayParameters,
  daysWhere,
  hourParameters,
  hoursWhere,
  rawDaysFrom,
  type RollupSources,
} from "../rollups/sources.ts";
import { figuresOf, selectStoredFigures, type StoredFigures } from "../rollups/stored.ts";

/** Figures of some checks. */
export type ExactFigures = PhaseFigures & {
  checks: number;
  up: number;
  avgMs: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  lastCheckedAtMs: number;
  error: string;
};

/** The figures of one step, by its number; or of all steps together, or of the period before. */
export type ExactPiece = ExactFigures & { piece: "step" | "steps" | "before"; step: number };

/** A period before, and steps of `stepMs` in [from, to). */
export type ExactSpan = { monitorId: number; previousMs: number; fromMs: number; toMs: number; stepMs: number };

/** A monitor's figures, from the checks themselves; pieces without any check are absent. */
export async function selectExact(client: ClickHouseClient, span: ExactSpan): Promise<ExactPiece[]> {
  const answer = await client.query({
    query: `SELECT c.slot < {begin:DateTime64(3, 'UTC')} AS isBefore,
        if(isBefore, -1, toInt32(intDiv(toUnixTimestamp64Milli(c.slot) - {fromMs:Int64}, {stepMs:Int64}))) AS step,
        multiIf(isBefore, 'before', grouping(step) = 1, 'steps', 'step') AS piece,
        toUInt32(count()) AS checks, toUInt32(countIf(c.up)) AS up, avg(${response}) / 10 AS avgMs,
        (quantilesExactInclusive(0.5, 0.95)(${response}) AS quantiles)[1] / 10 AS p50Ms, quantiles[2] / 10 AS p95Ms,
        max(${response}) / 10 AS maxMs, toFloat64(max(toUnixTimestamp64Milli(c.slot) + ${delay})) AS lastCheckedAtMs,
        ${newestFault} AS error, ${phasesOfChecks}, phase_sums AS phaseSums, phase_counts AS phaseCounts
      FROM ${scheduledChecks(`monitor_id = {monitorId:UInt32} AND ${slotRange}`)}
      GROUP BY GROUPING SETS ((isBefore, step), (isBefore)) HAVING piece != 'before' OR step = -1`,
    query_params: {
      ...span,
      from: instantText(span.previousMs),
      begin: instantText(span.fromMs),
      to: instantText(span.toMs),
    },
    format: "JSONEachRow",
  });
  return answer.json<ExactPiece>();
}

export const ofMonitor = "monitor_id = {monitorId:UInt32}";

export type FiguresQuery = RollupSources & { monitorId: number };
export type ReadFigures = (client: ClickHouseClient, query: FiguresQuery) => Promise<SpanFigures[]>;

/**
 * A monitor's figures of days and hours that are rolled up, in no order. Two plain statements: one that joined them
 * would take longer to plan than these take to run.
 */
export const selectRolled: ReadFigures = async (client, { monitorId, ...sources }) => {
  const ofDays = { ...sources, fromMs: rawDaysFrom(sources) };
  const ask = async (query: string, parameters: Record<string, unknown>) => {
    const answer = await client.query({ query, query_params: { monitorId, ...parameters }, format: "JSONEachRow" });
    return (await answer.json<StoredFigures>()).map(figuresOf);
  };
  const parts = await Promise.all([
    ask(
      `SELECT ${selectStoredFigures("toDateTime(day, 'UTC')")} FROM check_days FINAL WHERE ${ofMonitor} AND ${daysWhere}`,
      dayParameters(sources),
    ),
    ask(
      `SELECT ${selectStoredFigures("hour")} FROM check_hours FINAL
        WHERE ${ofMonitor} AND ${hoursWhere} AND toDate(hour) IN {rawDays:Array(Date)}`,
      { ...hourParameters(ofDays), rawDays: dayParameters(sources).rawDays },
    ),
  ]);
  return parts.flat();
};
