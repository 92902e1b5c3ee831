import type { ClickHouseClient } from "@clickhouse/client";
import { rowsOf } from "../clickhouse/rows.ts";
import { allScheduledChecks, response } from "../rollups/figures.ts";
import { bucketSql, growth } from "../rollups/histogram.ts";
import { dayMs, hourMs, hoursSql, instantSql } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { figuresSql } from "../rollups/stored.ts";

/** Whole hours. */
type Window = { fromMs: number; toMs: number };
export type RecentTimes = { monitorId: number; checks: number; p95Ms: number };

const daysBefore = 7;
const minDays = 3;

/** From rolled-up hours, and from checks since the first hour that is not rolled up. */
export async function selectRecent(client: ClickHouseClient, { fromMs, toMs }: Window): Promise<RecentTimes[]> {
  const rawFromMs = Math.min(toMs - hourMs, ...(await selectTouchedHours(client, fromMs)));
  const checks = checksSource(rawFromMs, toMs);
  const source =
    rawFromMs === fromMs ? checks : `${hoursSource(hoursBetween(fromMs, rawFromMs), "0")} UNION ALL ${checks}`;
  const found = await read(client, `SELECT [toFloat64(id), checks, p95] AS row FROM (${p95Sql(source)})`);
  return found.map(([monitorId = 0, checks = 0, tenths = 0]) => ({
    monitorId,
    checks,
    p95Ms: Math.round(tenths) / 10,
  }));
}

/**
 * Returns the median p95 in milliseconds of the same hours on the days before, for monitors with enough days. Read from
 * rolled-up hours only.
 */
export async function selectUsual(client: ClickHouseClient, { fromMs, toMs }: Window): Promise<Map<number, number>> {
  const days = Array.from({ length: daysBefore }, (_, index) => (index + 1) * dayMs);
  const hours = days.flatMap((day) => hoursBetween(fromMs - day, toMs - day));
  const day = `intDiv(${toMs / 1000} - toUnixTimestamp(f.at), ${dayMs / 1000})`;
  const found = await read(
    client,
    `SELECT [toFloat64(id), quantileExactInclusive(0.5)(p95)] AS row FROM (${p95Sql(hoursSource(hours, day))})
     GROUP BY id HAVING count() >= ${minDays}`,
  );
  return new Map(found.map(([id = 0, tenths = 0]) => [id, Math.round(tenths) / 10]));
}

const hoursBetween = (fromMs: number, toMs: number) =>
  Array.from({ length: (toMs - fromMs) / hourMs }, (_, index) => fromMs + index * hourMs);

/** Histograms of successful checks in rolled-up hours: all checks minus the failed ones. */
const hoursSource = (hours: readonly number[], day: string) => `
  SELECT f.id AS id, toInt64(${day}) AS day, toFloat64(f.max) AS longest, arrayConcat(f.buckets, f.failed_buckets) AS places,
    arrayConcat(arrayMap(n -> toInt64(n), f.counts), arrayMap(n -> -toInt64(n), f.failed_counts)) AS amounts
  FROM (${figuresSql("r.monitor_id AS id, r.hour AS at", "check_hours", `hour IN ${hoursSql(hours)}`)}) AS f`;

/** The same from checks. */
const checksSource = (fromMs: number, toMs: number) => `
  SELECT c.monitor_id AS id, toInt64(0) AS day, toFloat64(max(${response})) AS longest,
    (sumMap([${bucketSql(response)}], [toInt64(1)]) AS histogram).1 AS places, histogram.2 AS amounts
  FROM ${allScheduledChecks(`slot >= ${instantSql(fromMs)} AND slot < ${instantSql(toMs)}`)} WHERE c.up GROUP BY id`;

/** Per monitor and day: the number of checks, and p95 in tenths of a millisecond, interpolated like `percentileMs`. */
const p95Sql = (source: string) => `
  SELECT id, day, toUInt32(sums[-1]) AS checks, if(buckets[rank] = 0, 0., least(longest,
      pow(${growth}, buckets[rank] - 1 + (0.95 * checks - sums[rank] + counts[rank]) / counts[rank]))) AS p95
  FROM (
    SELECT id, day, max(s.longest) AS longest, (sumMap(s.places, s.amounts) AS histogram).1 AS buckets,
      histogram.2 AS counts, arrayCumSum(counts) AS sums,
      arrayFirstIndex(sum -> sum >= 0.95 * sums[-1], sums) AS rank
    FROM (${source}) AS s GROUP BY id, day)
  WHERE rank > 0`;

/** Reads the arrays `row` in one result row, because the number of rows is limited. */
async function read(client: ClickHouseClient, query: string): Promise<number[][]> {
  const [found] = await rowsOf<{ rows: number[][] }>(client, `SELECT groupArray(row) AS rows FROM (${query})`);
  return found?.rows ?? [];
}
