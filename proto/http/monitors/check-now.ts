/** The longest duration of a manual check, with its re-checks. All times in milliseconds. */

/** A failed check is repeated after this long. */
export const recheckAfterMs = 2000;

/**
 * What one attempt may take beyond the check's own timeout: the way to a runner and back, a second's wait for capacity,
 * 1.5 s in which a silence is verified.
 */
const attemptMarginMs = 3000;

/** However many re-checks a monitor has, a person waits no longer than this; one re-check always fits. */
const maxRunMs = 60_000;

/** The longest that one attempt takes. */
export const attemptMs = (timeoutMs: number): number => timeoutMs + attemptMarginMs;

/** The longest that a check by hand takes, its re-checks included. A re-check that might end later is left out. */
export function checkNowMs(timeoutMs: number, retries: number): number {
  const after = (recheckCount: number) => attemptMs(timeoutMs) + recheckCount * (recheckAfterMs + attemptMs(timeoutMs));
  return Math.min(after(retries), Math.max(maxRunMs, after(1)));
}
