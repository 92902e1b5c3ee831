import { floorOf, floorSql, middleOf, middleSql } from "./histogram.ts";
import type { SpanFigures } from "./merge.ts";
import { phaseFiguresOf, phasesSql, selectPhases, storedPhasesSql } from "./phases.ts";

/**
 * The encoding of figures in `check_hours` and `check_days`: all buckets from the first to the last, of each count the
 * lower eight bits (and the rest if any needs more), the greatest value less the floor of its bucket, the sum less the
 * estimate from the middles of the buckets. Values that follow from the histogram are not stored twice, and decoding is
 * exact, except for the means of phases; the last check's lateness is cut to tenths of a second.
 */
export const storedColumns =
  "seen, failed, first_bucket, counts, counts_above, max_rest, sum_rest, last_slot, last_lateness, last_error, dns, connect, tls, first_byte" as const;

const sumOfMiddles = (buckets: string, counts: string) =>
  `toInt64(arraySum(arrayMap((b, c) -> c * ${middleSql("b")}, ${buckets}, ${counts})))`;

/** Figures `f`, their buckets in order, as a SELECT of those columns behind its own `keys`. */
export const storedSql = (keys: string, figures: string) => `
  WITH arrayMap(step -> f.counts[indexOf(f.buckets, f.buckets[1] + step)],
    range(toUInt32(f.buckets[-1] - f.buckets[1] + 1))) AS whole
  SELECT ${keys}, f.seen, f.seen - f.up, f.buckets[1], arrayMap(count -> toUInt8(bitAnd(count, 255)), whole),
    if(arrayMax(whole) > 255, arrayMap(count -> toUInt32(bitShiftRight(count, 8)), whole), []),
    toUInt32(f.max - ${floorSql("f.buckets[-1]")}), toInt64(f.sum) - ${sumOfMiddles("f.buckets", "f.counts")},
    f.last_slot, intDiv(f.last_lateness, 100) * 100, f.last_error, ${storedPhasesSql}
  FROM (${figures}) AS f`;

/** Stored rows `r` of a table as figures again, behind their `keys`; `where` narrows by the columns of the table. */
export const figuresSql = (keys: string, table: string, where: string) => `
  WITH arrayMap(step -> toUInt8(r.first_bucket + step), range(length(r.counts))) AS places,
    arrayMap((low, above) -> toUInt32(low + 256 * above), r.counts, arrayResize(r.counts_above, length(r.counts))) AS whole
  SELECT ${keys}, r.seen AS seen, r.seen - r.failed AS up, ${floorSql("places[-1]")} + r.max_rest AS max,
    toUInt64(r.sum_rest + ${sumOfMiddles("places", "whole")}) AS sum, places AS buckets, whole AS counts, ${phasesSql},
    r.last_slot AS last_slot, r.last_lateness AS last_lateness, r.last_error AS last_error
  FROM ${table} AS r FINAL WHERE ${where}`;

/** A stored row as a query answers it. */
export type StoredFigures = {
  atMs: number;
  seen: number;
  failed: number;
  first: number;
  counts: number[];
  above: number[];
  maxRest: number;
  sumRest: number;
  lastCheckedAtMs: number;
  lastError: string;
  phases: number[];
};

/** The SELECT list that makes a StoredFigures of a row that began `at`. */
export const selectStoredFigures = (at: string) => `toUnixTimestamp(${at}) * 1000. AS atMs, seen, failed,
  first_bucket AS first, counts, counts_above AS above, max_rest AS maxRest, toFloat64(sum_rest) AS sumRest,
  toFloat64(toUnixTimestamp64Milli(last_slot)) + last_lateness AS lastCheckedAtMs, last_error AS lastError,
  ${selectPhases} AS phases`;

/** The figures that a stored row was made of. */
export function figuresOf({
  first,
  failed,
  counts: low,
  above,
  maxRest,
  sumRest,
  phases,
  ...rest
}: StoredFigures): SpanFigures {
  const counts = low.map((count, step) => count + 256 * (above[step] ?? 0));
  const buckets = counts.map((_, step) => first + step);
  const sum = counts.reduce((total, count, step) => total + count * middleOf(first + step), sumRest);
  return {
    ...rest,
    ...phaseFiguresOf(phases, rest.seen),
    up: rest.seen - failed,
    buckets,
    counts,
    max: floorOf(first + counts.length - 1) + maxRest,
    sum,
  };
}
