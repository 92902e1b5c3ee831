import type { ClickHouseClient } from "@clickhouse/client";
import { allScheduledChecks, figuresOfChecks, figuresOfHours, phasesSql, storedPhasesSql } from "./figures.ts";
import { dayMs, daysSql, hourMs, hoursSql, instantSql } from "./instants.ts";
import { floorSql, middleSql } from "./histogram.ts";

/** Newer than any stored revision, even if the server's clock was set back. Evaluated before rows are read. */
export const revision = (table: string, span: string) =>
  `(SELECT greatest(toUInt64(toUnixTimestamp64Milli(now64(3))), max(revision) + 1) FROM ${table} WHERE ${span})`;

export async function rollHours(client: ClickHouseClient, hours: readonly number[]): Promise<void> {
  const inHours = `IN ${hoursSql(hours)}`;
  const bounds = `slot >= ${instantSql(Math.min(...hours))} AND slot < ${instantSql(Math.max(...hours) + hourMs)}`;
  await client.command({
    query: `INSERT INTO check_hours (revision, monitor_id, hour, ${storedColumns}) ${storedSql(
      `${revision("check_hours", `hour ${inHours}`)}, f.monitor_id, f.hour`,
      `SELECT c.monitor_id AS monitor_id, toStartOfHour(c.slot) AS hour, ${figuresOfChecks}
        FROM ${allScheduledChecks(`${bounds} AND toStartOfHour(slot) ${inHours}`)} GROUP BY monitor_id, hour`,
    )}`,
  });
}

export async function rollDays(client: ClickHouseClient, days: readonly number[]): Promise<void> {
  const inDays = `IN ${daysSql(days)}`;
  const hours = `r.hour >= ${instantSql(Math.min(...days))} AND r.hour < ${instantSql(Math.max(...days) + dayMs)}`;
  const keys = "r.monitor_id AS monitor_id, r.hour AS hour, toDate(r.hour) AS day";
  await client.command({
    query: `INSERT INTO check_days (revision, monitor_id, day, ${storedColumns}) ${storedSql(
      `${revision("check_days", `day ${inDays}`)}, f.monitor_id, f.day`,
      `SELECT h.monitor_id AS monitor_id, h.day AS day, ${figuresOfHours}
        FROM (${figuresSql(keys, "check_hours", `${hours} AND day ${inDays}`)}) AS h GROUP BY h.monitor_id, h.day`,
    )}`,
  });
}

/**
 * Encoding of `check_hours` and `check_days`: counts of all buckets from first to last as low bytes (the rest in
 * `counts_above`, if any count needs it), the maximum minus its bucket's floor, and the sum minus the estimate from
 * bucket middles. Nothing that follows from the histogram is stored twice. Decoding is exact, except for phase means
 * and the last check's lateness, which is truncated to tenths of a second. The histogram of failed checks is not
 * encoded, since it is empty in most hours.
 */
const storedColumns =
  "seen, failed, first_bucket, counts, counts_above, max_rest, sum_rest, last_slot, last_lateness, last_error, dns, connect, tls, first_byte, covered, failed_buckets, failed_counts" as const;

const sumOfMiddles = (buckets: string, counts: string) =>
  `toInt64(arraySum(arrayMap((b, c) -> c * ${middleSql("b")}, ${buckets}, ${counts})))`;

/** Selects `keys` and those columns from figures `f`, whose buckets must be in order. */
const storedSql = (keys: string, figures: string) => `
  WITH arrayMap(step -> f.counts[indexOf(f.buckets, f.buckets[1] + step)],
    range(toUInt32(f.buckets[-1] - f.buckets[1] + 1))) AS whole
  SELECT ${keys}, f.seen, f.seen - f.up, f.buckets[1], arrayMap(count -> toUInt8(bitAnd(count, 255)), whole),
    if(arrayMax(whole) > 255, arrayMap(count -> toUInt32(bitShiftRight(count, 8)), whole), []),
    toUInt32(f.max - ${floorSql("f.buckets[-1]")}), toInt64(f.sum) - ${sumOfMiddles("f.buckets", "f.counts")},
    f.last_slot, intDiv(f.last_lateness, 100) * 100, f.last_error, ${storedPhasesSql}, f.covered,
    f.failed_buckets, f.failed_counts
  FROM (${figures}) AS f`;

/** Decodes stored rows `r` to figures, preceded by `keys`. `where` uses the table's columns. */
export const figuresSql = (keys: string, table: string, where: string) => `
  WITH arrayMap(step -> toUInt8(r.first_bucket + step), range(length(r.counts))) AS places,
    arrayMap((low, above) -> toUInt32(low + 256 * above), r.counts, arrayResize(r.counts_above, length(r.counts))) AS whole
  SELECT ${keys}, r.seen AS seen, r.seen - r.failed AS up, r.covered AS covered, ${floorSql("places[-1]")} + r.max_rest AS max,
    toUInt64(r.sum_rest + ${sumOfMiddles("places", "whole")}) AS sum, places AS buckets, whole AS counts, ${phasesSql},
    r.failed_buckets AS failed_buckets, r.failed_counts AS failed_counts, r.last_slot AS last_slot, r.last_lateness AS last_lateness, r.last_error AS last_error
  FROM ${table} AS r FINAL WHERE ${where}`;
