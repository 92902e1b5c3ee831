import type { ClickHouseClient } from "@clickhouse/client";
import { rowsOfAll, type Statement } from "../clickhouse/rows.ts";
import { ofMonitors } from "../days/monitor-days.ts";
import { response, scheduledChecks } from "../rollups/figures.ts";
import { hourMs, hourOf } from "../rollups/instants.ts";
import { growth } from "../rollups/histogram.ts";
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

/** A monitor's slots by the edge at which their step begins, as parallel arrays. */
type SeenSlots = { monitorId: number; starts: number[]; seen: number[]; up: number[]; fast: number[] };

type SlotQuery = RollupSources & {
  monitorIds: readonly number[];
  edges: readonly number[];
  /** Tenths of a millisecond. */
  fastTenths: number;
};

/** Successful checks of stored rows `r` up to a bucket. Both histograms include checks in maintenance. */
const storedFast = `
  arraySum(arraySlice(r.counts, 1, greatest(0, {fastBucket:Int32} - r.first_bucket + 1)))
    + 256 * arraySum(arraySlice(r.counts_above, 1, greatest(0, {fastBucket:Int32} - r.first_bucket + 1)))
    - arraySum(arrayMap((b, c) -> if(b <= {fastBucket:Int32}, c, 0), r.failed_buckets, r.failed_counts))`;
const storedUp = "arraySum(r.counts) + 256 * arraySum(r.counts_above) - arraySum(r.failed_counts)";
const storedFigures = `toFloat64(r.seen) AS seen, toFloat64(r.seen - r.failed) AS up,
  if(${storedUp} = 0, 0, round((${storedFast}) * (r.seen - r.failed) / (${storedUp}))) AS fast`;

/**
 * A monitor may occur up to three times, and so may a step; add the counts. Every edge within a day or an hour must be
 * in `hourDays` or `rawHours`.
 */
export function selectSlots(
  client: ClickHouseClient,
  { monitorIds, edges, fastTenths, ...sources }: SlotQuery,
): Promise<SeenSlots[]> {
  const startOf = (instant: string) => `roundDown(toInt64(${instant}), {edges:Array(Int64)}) AS start`;
  const lists = (rows: string) => `SELECT monitorId, groupArray(toFloat64(start)) AS starts, groupArray(seen) AS seen,
      groupArray(up) AS up, groupArray(fast) AS fast
    FROM (SELECT monitorId, start, sum(seen) AS seen, sum(up) AS up, sum(fast) AS fast FROM (${rows})
      GROUP BY monitorId, start) GROUP BY monitorId`;
  const { rawDays } = dayParameters(sources);
  const days: Statement = [
    lists(`SELECT r.monitor_id AS monitorId, ${startOf("toUnixTimestamp(toDateTime(r.day, 'UTC')) * 1000")},
        ${storedFigures}
      FROM check_days AS r FINAL WHERE ${daysWhere} AND ${ofMonitors}`),
    dayParameters(sources),
  ];
  const hours: Statement = [
    lists(`SELECT r.monitor_id AS monitorId, ${startOf("toUnixTimestamp(r.hour) * 1000")}, ${storedFigures}
      FROM check_hours AS r FINAL
      WHERE ${hoursWhere} AND toDate(hour) IN {rawDays:Array(Date)} AND ${ofMonitors}`),
    { ...hourParameters({ ...sources, fromMs: rawDaysFrom(sources) }), rawDays },
  ];
  const checks: Statement = [
    lists(`SELECT c.monitor_id AS monitorId, ${startOf("toUnixTimestamp64Milli(c.slot)")}, 1. AS seen,
        toFloat64(c.up) AS up, toFloat64(c.up AND ${response} <= {fastTenths:Float64}) AS fast
      FROM ${scheduledChecks(`${checksWhere} AND ${ofMonitors}`)}`),
    checkParameters(sources),
  ];
  const fastBucket = fastBucketOf(fastTenths);
  // Each statement costs milliseconds, and a short period is often read from single checks only.
  return rowsOfAll(client, isRaw(sources) ? [checks] : [days, hours, checks], {
    monitorIds,
    edges,
    fastTenths,
    fastBucket,
  });
}

/** True if all hours are read from single checks. */
export function isRaw({ fromMs, toMs, rawHours }: RollupSources): boolean {
  const raw = new Set(rawHours);
  for (let hour = hourOf(fromMs); hour < toMs; hour += hourMs) if (!raw.has(hour)) return false;
  return true;
}

/** Returns the last bucket of which every whole value is at most `tenths`; -1 if none is. */
export function fastBucketOf(tenths: number): number {
  if (tenths < 0) return -1;
  let bucket = 0;
  while (bucket < 254 && Math.ceil(growth ** (bucket + 1)) - 1 <= tenths) bucket++;
  return bucket;
}
