/** Response times of one step, in milliseconds; null where no check was seen. */
type Figures = { p95: number | null; max: number | null };

/** A peak so many times as high as what is usual would press everything else to the ground. */
const mostPeak = 3;
const headroom = 1.6;

/**
 * The top of a scale on which the usual can be read: the highest value, or, where single peaks stand far above what is
 * usual (the 95th percentile of all steps' p95), a top below them. `peak` is the highest of those that are cut off.
 */
export function fitScale(points: readonly Figures[]): { top: number; peak: number | null } {
  const usualOnes = points.flatMap(({ p95 }) => (p95 === null ? [] : [p95])).sort((one, other) => one - other);
  const usual = usualOnes[Math.ceil(usualOnes.length * 0.95) - 1] ?? 0;
  const highest = points.reduce((most, { p95, max }) => Math.max(most, p95 ?? 0, max ?? 0), 0);
  if (highest <= usual * mostPeak || usual === 0) return { top: highest, peak: null };
  return { top: usual * headroom, peak: highest };
}
