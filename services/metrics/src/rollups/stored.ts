import { floorOf, floorSql, middleOf, middleSql } from "./histogram.ts";
import type { Figures } from "./merge.ts";
import { phaseFiguresOf, phasesSql, selectPhases, storedPhasesSql } from "./phases.ts";

/**
 * How `check_hours` and `check_days` keep figures: which bucket holds the median; the counts of the two buckets on either
 * side of it (`near`); those further `below` and `above`, outwards. Counts at one distance are alike, and a column of
 * likes compresses well. The median's own count is what is left of `seen`. Of each count these are the lower eight bits;
 * `high` has what is above of all, near, below, above, where any needs more. Then the greatest value less the floor of
 * its bucket, and the mean less what the middles of the buckets make of it, both in whole tenths. All comes back as it was,
 * but for the mean and the phases, and the last check's lateness is cut to tenths of a second.
 */
export const storedColumns =
  "seen, failed, middle_bucket, near, below, above, high, max_rest, mean_rest, last_slot, last_lateness, last_error, dns, connect, tls, first_byte" as const;

/** How far the buckets of `near` lie from the median's, in this order. */
const nearSteps = [-2, -1, 1, 2] as const;

const meanOfMiddles = (buckets: string, counts: string, seen: string) =>
  `toInt64(intDiv(arraySum(arrayMap((b, c) -> c * ${middleSql("b")}, ${buckets}, ${counts})), ${seen}))`;

/** Figures `f`, their buckets in order, as a SELECT of those columns behind its own `keys`. */
export const storedSql = (keys: string, figures: string) => `
  WITH arrayMap(step -> f.counts[indexOf(f.buckets, f.buckets[1] + step)],
      range(toUInt32(f.buckets[-1] - f.buckets[1] + 1))) AS whole,
    arrayFirstIndex(total -> 2 * total >= f.seen, arrayCumSum(whole)) AS middle,
    greatest(0, middle - 3) AS belows,
    arrayConcat(arrayMap(step -> if(middle + step > 0, whole[middle + step], 0), [${nearSteps.join()}]),
      arrayReverse(arraySlice(whole, 1, belows)), arraySlice(whole, middle + 3)) AS others,
    arrayMap(count -> toUInt8(bitAnd(count, 255)), others) AS low
  SELECT ${keys}, f.seen, f.seen - f.up, toUInt8(f.buckets[1] + middle - 1),
    arraySlice(low, 1, 4), arraySlice(low, 5, belows), arraySlice(low, 5 + belows),
    if(arrayMax(others) > 255, arrayMap(count -> toUInt32(bitShiftRight(count, 8)), others), []),
    toUInt32(f.max - ${floorSql("f.buckets[-1]")}),
    toInt64(round(f.sum / f.seen)) - ${meanOfMiddles("f.buckets", "f.counts", "f.seen")},
    f.last_slot, intDiv(f.last_lateness, 100) * 100, f.last_error, ${storedPhasesSql}
  FROM (${figures}) AS f`;

/** Stored rows `r` of a table as figures again, behind their `keys`; `where` narrows by the columns of the table. */
export const figuresSql = (keys: string, table: string, where: string) => `
  WITH arrayConcat(r.near, r.below, r.above) AS low,
    arrayMap((count, high) -> toUInt32(count + 256 * high), low, arrayResize(r.high, length(low))) AS others,
    arrayConcat(arrayReverse(arraySlice(others, 5, length(r.below))),
      [others[1], others[2], toUInt32(r.seen - arraySum(others)), others[3], others[4]],
      arraySlice(others, 5 + length(r.below))) AS whole,
    arrayMap(step -> toInt16(r.middle_bucket) - 2 - length(r.below) + step, range(length(whole))) AS places,
    CAST(arrayFilter((place, count) -> count > 0, places, whole), 'Array(UInt8)') AS filled,
    arrayFilter(count -> count > 0, whole) AS fills
  SELECT ${keys}, r.seen AS seen, r.seen - r.failed AS up, ${floorSql("filled[-1]")} + r.max_rest AS max,
    toUInt64((${meanOfMiddles("filled", "fills", "r.seen")} + r.mean_rest) * r.seen) AS sum, filled AS buckets, fills AS counts,
    ${phasesSql}, r.last_slot AS last_slot, r.last_lateness AS last_lateness, r.last_error AS last_error
  FROM ${table} AS r FINAL WHERE ${where}`;

/** A stored row as a query answers it. */
export type StoredFigures = {
  atMs: number;
  seen: number;
  failed: number;
  middle: number;
  near: number[];
  below: number[];
  above: number[];
  high: number[];
  maxRest: number;
  meanRest: number;
  lastCheckedAtMs: number;
  lastError: string;
  phases: number[];
};

/** The SELECT list that makes a StoredFigures of a row that began `at`. */
export const selectStoredFigures = (at: string) => `toUnixTimestamp(${at}) * 1000. AS atMs, seen, failed,
  middle_bucket AS middle, near, below, above, high, max_rest AS maxRest, toFloat64(mean_rest) AS meanRest,
  toFloat64(toUnixTimestamp64Milli(last_slot)) + last_lateness AS lastCheckedAtMs, last_error AS lastError,
  ${selectPhases} AS phases`;

/** The figures that a stored row was made of; buckets in order, none of them empty. */
export function figuresOf({
  middle,
  near,
  below,
  above,
  high,
  failed,
  maxRest,
  meanRest,
  phases,
  ...rest
}: StoredFigures): Figures {
  // Plain loops: a chart has 720 of these.
  const others = near.concat(below, above);
  for (let index = 0; index < high.length; index++) others[index]! += 256 * high[index]!;
  const ofMedian = others.reduce((left, count) => left - count, rest.seen);
  const outer = nearSteps.length + below.length;
  const [twoBelow = 0, oneBelow = 0, oneAbove = 0, twoAbove = 0] = others;
  const whole = others.slice(nearSteps.length, outer).reverse();
  whole.push(twoBelow, oneBelow, ofMedian, oneAbove, twoAbove, ...others.slice(outer));
  const first = middle - 2 - below.length;
  const buckets: number[] = [];
  const counts: number[] = [];
  let sumOfMiddles = 0;
  for (let step = 0; step < whole.length; step++) {
    const count = whole[step]!;
    if (count <= 0) continue;
    buckets.push(first + step);
    counts.push(count);
    sumOfMiddles += count * middleOf(first + step);
  }
  return {
    ...rest,
    ...phaseFiguresOf(phases, rest.seen),
    up: rest.seen - failed,
    buckets,
    counts,
    max: floorOf(buckets.at(-1) ?? 0) + maxRest,
    sum: (Math.floor(sumOfMiddles / rest.seen) + meanRest) * rest.seen,
  };
}
