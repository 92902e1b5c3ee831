/** To a tenth: clocks here are no more precise, and this saves bytes. */
export const tenths = (durationMs: number): number => Math.round(durationMs * 10) / 10;

export const tenthsOrNull = (durationMs: number | undefined): number | null =>
  durationMs === undefined ? null : tenths(durationMs);

export const hundredthsOrNull = (value: number | undefined): number | null =>
  value === undefined ? null : Math.round(value * 100) / 100;

export const wholeOrNull = (value: number | undefined): number | null =>
  value === undefined ? null : Math.round(value);

/** Rounded to a thousandth, at most 100; `null` if `whole` is 0. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(100, Math.round((part / whole) * 100_000) / 1000);
}
