/** Marks come each 5 s of each gateway: a longer silence says that none takes calls. */
const usualMs = 6_000;
const maxGapMs = 15_000;

export type Covered = { coveredSinceMs: number | null; heardMs: number | null };

/** Since when gateways were there without a gap, by the instants at which the bus stored what they sent. */
export function createCoverage(given: Covered) {
  let { coveredSinceMs, heardMs } = given;
  return {
    heard(atMs: number): void {
      if (heardMs === null || atMs - heardMs > maxGapMs) coveredSinceMs = atMs;
      heardMs = Math.max(heardMs ?? 0, atMs);
    },
    /** Whether it is known what the silence up to an instant means. `nextMs`: when the next message came, where one did. */
    isKnown: (untilMs: number, nextMs: number | null): boolean =>
      nextMs !== null || (heardMs !== null && untilMs - heardMs <= usualMs),
    /** Whether there was no gap from one instant to the other. */
    covers: (sinceMs: number, untilMs: number, nextMs: number | null): boolean =>
      coveredSinceMs !== null &&
      heardMs !== null &&
      coveredSinceMs <= sinceMs &&
      (untilMs - heardMs <= usualMs || (nextMs !== null && nextMs - heardMs <= maxGapMs)),
    get: (): Covered => ({ coveredSinceMs, heardMs }),
  };
}
export type Coverage = ReturnType<typeof createCoverage>;
