/** Limits of a manual check with its retries. All times in milliseconds. */

/** Delay before a retry. */
export const recheckAfterMs = 2000;

/**
 * Time an attempt may take beyond the check's timeout: the round trip to a runner, 1 s to wait for capacity, and 1.5 s
 * to verify a timeout.
 */
const attemptMarginMs = 3000;

/** Maximum time a user waits, whatever the number of retries; one retry always fits. */
const maxRunMs = 60_000;

export const attemptMs = (timeoutMs: number): number => timeoutMs + attemptMarginMs;

/** Returns the maximum duration of a manual check with its retries. Retries that might end later are skipped. */
export function checkNowMs(timeoutMs: number, retries: number): number {
  const after = (recheckCount: number) => attemptMs(timeoutMs) + recheckCount * (recheckAfterMs + attemptMs(timeoutMs));
  return Math.min(after(retries), Math.max(maxRunMs, after(1)));
}
