/**
 * Histograms of response times on a logarithmic scale: bucket 0 holds 0, bucket b ≥ 1 holds tenths of a millisecond in
 * [1.08^(b-1), 1.08^b). A percentile read from it is off by 4 % at most, and histograms of hours add up to days.
 */
const growth = 1.08;

/** The bucket of `tenths`, as SQL over a column or expression of that unit. */
export const bucketSql = (tenths: string) =>
  `toUInt8(if(${tenths} = 0, 0, least(255, 1 + floor(log(${tenths}) / log(${growth})))))`;

/** Bucket numbers and how many values each holds, side by side. */
export type Histogram = { buckets: readonly number[]; counts: readonly number[] };

/**
 * A percentile of what a histogram holds, in milliseconds; of an empty one, its greatest value.
 * Within its bucket the rank is placed geometrically; the least and greatest value, in tenths, bound the answer.
 */
export function percentileMs(
  { buckets, counts, min, max }: Histogram & { min: number; max: number },
  fraction: number,
): number {
  const rank = fraction * counts.reduce((sum, count) => sum + count, 0);
  const ordered = buckets
    .map((bucket, index) => ({ bucket, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => left.bucket - right.bucket);
  let below = 0;
  for (const { bucket, count } of ordered) {
    if (below + count >= rank) {
      const tenths = bucket === 0 ? 0 : growth ** (bucket - 1 + (rank - below) / count);
      return Math.min(Math.max(tenths, min), max) / 10;
    }
    below += count;
  }
  return max / 10;
}
