/**
 * Histograms of response times on a logarithmic scale: bucket 0 holds 0, bucket b ≥ 1 holds tenths of a millisecond in
 * [1.08^(b-1), 1.08^b). A percentile read from it is off by 4 % at most, and histograms of hours add up to days.
 */
export const growth = 1.08;
export const lastBucket = 255;

/** The bucket of `tenths`, as SQL over a column or expression of that unit. */
export const bucketSql = (tenths: string) =>
  `toUInt8(if(${tenths} = 0, 0, least(${lastBucket}, 1 + floor(log(${tenths}) / log(${growth})))))`;

/** The whole tenths below the least value of a bucket, and near its middle, as SQL over its number. */
export const floorSql = (bucket: string) => `toUInt32(floor(pow(${growth}, ${bucket} - 1)))`;
export const middleSql = (bucket: string) => `toUInt64(floor(pow(${growth}, ${bucket} - 0.5)))`;

/** Bucket numbers and how many values each holds, side by side. */
export type Histogram = { buckets: readonly number[]; counts: readonly number[] };

/**
 * A percentile of what a histogram holds, in milliseconds; of an empty one, its greatest value.
 * Within its bucket the rank is placed geometrically, between whole tenths; the greatest value bounds the answer.
 */
export function percentileMs({ buckets, counts, max }: Histogram & { max: number }, fraction: number): number {
  const rank = fraction * counts.reduce((sum, count) => sum + count, 0);
  const ordered = buckets
    .map((bucket, index) => ({ bucket, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => left.bucket - right.bucket);
  let below = 0;
  for (const { bucket, count } of ordered) {
    if (below + count >= rank) {
      if (bucket === 0) return 0;
      const tenths = growth ** (bucket - 1 + (rank - below) / count);
      const least = Math.ceil(growth ** (bucket - 1));
      const most = Math.max(least, bucket < lastBucket ? Math.floor(growth ** bucket) : max);
      return Math.min(Math.max(tenths, least), most, max) / 10;
    }
    below += count;
  }
  return max / 10;
}
