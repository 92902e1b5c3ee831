import type { ClickHouseClient } from "@clickhouse/client";
import { delay, figuresOfChecks, newestFault, response, scheduledChecks, slotRange } from "../rollups/figures.ts";
import type { Figures } from "../rollups/merge.ts";
import { type PhaseFigures, phasesOfChecks } from "../rollups/phases.ts";
import { instantText } from "../rollups/instants.ts";
import {
  checkParameters,
  checksWhere,
  dayParameters,
  daysWhere,
  hourParameters,
  hoursWhere,
  rawDaysFrom,
  type Sources,
} from "../rollups/sources.ts";
import { figuresOf, selectStoredFigures, type StoredFigures } from "../rollups/stored.ts";

/** Figures of one step, by its number. */
export type ExactStep = PhaseFigures & {
  step: number;
  checks: number;
  up: number;
  avgMs: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  lastCheckedAtMs: number;
  error: string;
};

/** Scheduled checks in [from, to), in steps of `stepMs` that are counted from `zeroMs`; the number of a step is not below 0. */
export type ExactSpan = { monitorId: number; fromMs: number; toMs: number; stepMs: number; zeroMs: number };

/** Steps of a monitor's checks, from the checks themselves; those without any are absent. */
export async function selectExactSteps(client: ClickHouseClient, span: ExactSpan): Promise<ExactStep[]> {
  const answer = await client.query({
    query: `SELECT toUInt32(intDiv(toUnixTimestamp64Milli(c.slot) - {zeroMs:Int64}, {stepMs:Int64})) AS step,
        toUInt32(count()) AS checks, toUInt32(countIf(c.up)) AS up, avg(${response}) / 10 AS avgMs,
        (quantilesExactInclusive(0.5, 0.95)(${response}) AS quantiles)[1] / 10 AS p50Ms, quantiles[2] / 10 AS p95Ms,
        max(${response}) / 10 AS maxMs, toFloat64(max(toUnixTimestamp64Milli(c.slot) + ${delay})) AS lastCheckedAtMs,
        ${newestFault} AS error, ${phasesOfChecks}, phase_sums AS phaseSums, phase_counts AS phaseCounts
      FROM ${scheduledChecks(`monitor_id = {monitorId:UInt32} AND ${slotRange}`)}
      GROUP BY step ORDER BY step`,
    query_params: { ...span, from: instantText(span.fromMs), to: instantText(span.toMs) },
    format: "JSONEachRow",
  });
  return answer.json<ExactStep>();
}

const ofMonitor = "monitor_id = {monitorId:UInt32}";

/**
 * A monitor's figures in [from, to), in pieces of days and hours, in no order. Three plain statements: one that joined
 * them would take longer to plan than these take to run.
 */
export async function selectFigures(
  client: ClickHouseClient,
  { monitorId, ...sources }: Sources & { monitorId: number },
): Promise<Figures[]> {
  const ofDays = { ...sources, fromMs: rawDaysFrom(sources) };
  const ask = async <Row>(query: string, parameters: Record<string, unknown>) => {
    const answer = await client.query({ query, query_params: { monitorId, ...parameters }, format: "JSONEachRow" });
    return answer.json<Row>();
  };
  const [days, hours, checks] = await Promise.all([
    ask<StoredFigures>(
      `SELECT ${selectStoredFigures("toDateTime(day, 'UTC')")} FROM check_days FINAL WHERE ${ofMonitor} AND ${daysWhere}`,
      dayParameters(sources),
    ),
    ask<StoredFigures>(
      `SELECT ${selectStoredFigures("hour")} FROM check_hours FINAL
        WHERE ${ofMonitor} AND ${hoursWhere} AND toDate(hour) IN {rawDays:Array(Date)}`,
      { ...hourParameters(ofDays), rawDays: dayParameters(sources).rawDays },
    ),
    ask<Figures>(
      `SELECT toUnixTimestamp(toStartOfHour(c.slot)) * 1000. AS atMs, ${figuresOfChecks}, last_error AS lastError,
          phase_sums AS phaseSums, phase_counts AS phaseCounts,
          toFloat64(toUnixTimestamp64Milli(last_slot)) + last_lateness AS lastCheckedAtMs
        FROM ${scheduledChecks(`${ofMonitor} AND ${checksWhere}`)} GROUP BY atMs`,
      checkParameters(sources),
    ),
  ]);
  return [...days.map(figuresOf), ...hours.map(figuresOf), ...checks];
}
