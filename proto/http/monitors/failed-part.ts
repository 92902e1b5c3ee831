/**
 * Failed share of a bar, in sixths: on monitor pages, in lists and on public pages. A bar without failures is low; any
 * other is tall, and its failed part hangs from the top, separated by a gap. A fully failed bar has no gap. Height and
 * gap thus convey the state without colour. Sixths instead of exact shares keep one failed check in a thousand visible,
 * as well as one successful check.
 */
export const failedParts = 6;

const limits = [1, 5, 20, 50];

/** Returns the failed part of a bar in sixths. `failed`: percent of the checks. */
export function failedPart(failed: number): number {
  if (failed <= 0) return 0;
  return failed >= 100 ? failedParts : 1 + limits.filter((limit) => failed > limit).length;
}
