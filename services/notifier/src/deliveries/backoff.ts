const firstMs = 5_000;
const longestMs = 15 * 60_000;
/** The longest delay accepted from a provider. */
export const longestPatienceMs = 3_600_000;

/**
 * The delay after a number of failed attempts (1 or more): 5 s, doubling to 15 minutes, with a jitter of a fifth, so
 * that failures at the same time are not retried at the same time.
 * @param random from 0 to 1
 */
export function backoffMs(attempts: number, random: number = Math.random()): number {
  const plainMs = Math.min(longestMs, firstMs * 2 ** Math.min(20, attempts - 1));
  return Math.round(plainMs * (0.8 + 0.4 * random));
}

/** The same with the provider's own delay: never sooner than it requested. */
export function waitMs(attempts: number, askedMs: number | undefined, random?: number): number {
  const asked = Number.isFinite(askedMs) ? Math.min(longestPatienceMs, Math.max(0, askedMs ?? 0)) : 0;
  return Math.max(asked, backoffMs(attempts, random));
}
