const firstMs = 5_000;
const longestMs = 15 * 60_000;
/** No provider's word makes anything wait longer. */
const longestAskedMs = 3_600_000;

/**
 * The delay after a number of failures (1 or more): 5 s, doubling to 15 minutes, with a jitter of a fifth; never
 * shorter than a provider requested.
 */
export function backoffMs(failures: number, askedMs = 0): number {
  const plainMs = Math.min(longestMs, firstMs * 2 ** Math.min(20, failures - 1));
  return Math.round(Math.max(Math.min(askedMs, longestAskedMs), plainMs * (0.8 + 0.4 * Math.random())));
}
