import { rowsOfAll } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import {
  allScheduledChecks,
  countsOfChecks,
  delay,
  figuresOfChecks,
  newestError,
  response,
  slotRange,
  phasesOfChecks,
} from "../rollups/figures.ts";
import type { ExactFigures, SpanFigures } from "./figures.ts";
import { instantText } from "../rollups/instants.ts";
import {
  checkParameters,
  checksWhere,
  dayParameters,
  daysWhere,
  hourParameters,
  hoursWhere,
  rawDaysFrom,
  type RollupSources,
} from "../rollups/sources.ts";
import { figuresSql } from "../rollups/stored.ts";

export type ExactPiece = ExactFigures & { piece: "step" | "steps" | "before"; step: number };

export type ExactSpan = { monitorId: number; previousMs: number; fromMs: number; toMs: number; stepMs: number };

export async function selectExact(client: ClickHouseClient, span: ExactSpan): Promise<ExactPiece[]> {
  const answer = await client.query({
    query: `SELECT c.slot < {begin:DateTime64(3, 'UTC')} AS isBefore,
        if(isBefore, -1, toInt32(intDiv(toUnixTimestamp64Milli(c.slot) - {fromMs:Int64}, {stepMs:Int64}))) AS step,
        multiIf(isBefore, 'before', grouping(step) = 1, 'steps', 'step') AS piece,
        ${countsOfChecks("checks", "up")}, avg(${response}) / 10 AS avgMs,
        (quantilesExactInclusive(0.5, 0.95)(${response}) AS quantiles)[1] / 10 AS p50Ms, quantiles[2] / 10 AS p95Ms,
        (quantilesExactInclusiveIf(0.5, 0.95)(${response}, c.up) AS goodOnes)[1] / 10 AS goodP50Ms,
        goodOnes[2] / 10 AS goodP95Ms, max(${response}) / 10 AS maxMs, toFloat64(max(toUnixTimestamp64Milli(c.slot) + ${delay})) AS lastCheckedAtMs,
        ${newestError} AS error, ${phasesOfChecks}, phase_sums AS phaseSums, phase_counts AS phaseCounts
      FROM ${allScheduledChecks(`monitor_id = {monitorId:UInt32} AND ${slotRange}`)}
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

const ofMonitor = "monitor_id = {monitorId:UInt32}";

/** From rolled-up days and hours, and checks of other hours. No check counts twice; the order is undefined. */
export async function selectFigures(
  client: ClickHouseClient,
  { monitorId, ...sources }: RollupSources & { monitorId: number },
): Promise<SpanFigures[]> {
  const ofDays = { ...sources, fromMs: rawDaysFrom(sources) };
  const spans = (figures: string) => `
    SELECT toUnixTimestamp(f.at) * 1000. AS atMs, f.seen AS seen, toFloat64(f.up) AS up, f.covered AS covered,
      toFloat64(f.max) AS max, toFloat64(f.sum) AS sum, f.buckets AS buckets, f.counts AS counts,
      f.failed_buckets AS failedBuckets, f.failed_counts AS failedCounts, f.phase_sums AS phaseSums, f.phase_counts AS phaseCounts, f.last_error AS lastError,
      toFloat64(toUnixTimestamp64Milli(f.last_slot)) + f.last_lateness AS lastCheckedAtMs
    FROM (${figures}) AS f`;
  const inHours = `${ofMonitor} AND ${hoursWhere} AND toDate(hour) IN {rawDays:Array(Date)}`;
  const inDays = `${ofMonitor} AND ${daysWhere}`;
  const { rawDays } = dayParameters(sources);
  const checks = `SELECT toStartOfHour(c.slot) AS at, ${figuresOfChecks}
    FROM ${allScheduledChecks(`${ofMonitor} AND ${checksWhere}`)} GROUP BY at`;
  return rowsOfAll(
    client,
    [
      [spans(figuresSql("toDateTime(r.day, 'UTC') AS at", "check_days", inDays)), dayParameters(sources)],
      [spans(figuresSql("r.hour AS at", "check_hours", inHours)), { ...hourParameters(ofDays), rawDays }],
      [spans(checks), checkParameters(sources)],
    ],
    { monitorId },
  );
}
