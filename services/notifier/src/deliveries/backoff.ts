const firstMs = 5_000;
const longestMs = 15 * 60_000;
/** Beyond this a provider's word is not taken: what it asks for is looked at again. */
export const longestPatienceMs = 3_600_000;

/**
 * How long to wait after so many failed attempts (1 or more): 5 s, doubling to 15 minutes, with a jitter of a fifth, so
 * that what failed together does not come back together.
 * @param random from 0 to 1
 */
export function backoffMs(attempts: number, random: number = Math.random()): number {
  const plainMs = Math.min(longestMs, firstMs * 2 ** Math.min(20, attempts - 1));
  return Math.round(plainMs * (0.8 + 0.4 * random));
}

/** The same where the provider may have said how long: never sooner than it asked. */
export function waitMs(attempts: number, askedMs: number | undefined, random?: number): number {
  const asked = Number.isFinite(askedMs) ? Math.min(longestPatienceMs, Math.max(0, askedMs ?? 0)) : 0;
  return Math.max(asked, backoffMs(attempts, random));
}
