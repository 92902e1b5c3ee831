/**
 * Histograms of response times on a logarithmic scale: bucket 0 holds 0, bucket b ≥ 1 holds tenths of a millisecond in
 * [1.08^(b-1), 1.08^b). Percentiles are accurate to 4 %, and histograms of hours can be added up to days.
 */
export const growth = 1.08;
export const lastBucket = 255;

export const bucketSql = (tenths: string) =>
  `toUInt8(if(${tenths} = 0, 0, least(${lastBucket}, 1 + floor(log(${tenths}) / log(${growth})))))`;

/** SQL for a bucket's lower bound and approximate middle, in whole tenths. */
export const floorSql = (bucket: string) => `toUInt32(floor(pow(${growth}, ${bucket} - 1)))`;
export const middleSql = (bucket: string) => `toUInt64(floor(pow(${growth}, ${bucket} - 0.5)))`;

/** Bucket numbers and their counts, as parallel arrays. */
export type Histogram = { buckets: readonly number[]; counts: readonly number[] };

/** In milliseconds. Interpolates geometrically within the bucket; an empty histogram returns `max`. */
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
