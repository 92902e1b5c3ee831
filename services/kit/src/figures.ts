/** Milliseconds to a tenth: no clock here is finer, and digits are bytes. */
export const tenths = (durationMs: number): number => Math.round(durationMs * 10) / 10;

/** The same where there may be none. */
export const tenthsOrNull = (durationMs: number | undefined): number | null =>
  durationMs === undefined ? null : tenths(durationMs);

/** A load to a hundredth. */
export const hundredthsOrNull = (value: number | undefined): number | null =>
  value === undefined ? null : Math.round(value * 100) / 100;

/** Bytes a second without their fractions. */
export const wholeOrNull = (value: number | undefined): number | null =>
  value === undefined ? null : Math.round(value);

/** A share in percent to a thousandth; null where there is nothing to divide by, and never more than the whole. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(100, Math.round((part / whole) * 100_000) / 1000);
}
