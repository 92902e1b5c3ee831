/** Each gateway sends a mark every 5 s. A longer gap means that no gateway accepts pings. */
const usualMs = 6_000;
const maxGapMs = 15_000;

export type Covered = { coveredSinceMs: number | null; heardMs: number | null };

/** Tracks since when gateways have accepted pings without a gap. All times are the bus's. */
export function createCoverage(initial: Covered) {
  let { coveredSinceMs, heardMs } = initial;
  return {
    observe(atMs: number): void {
      if (heardMs === null || atMs - heardMs > maxGapMs) coveredSinceMs = atMs;
      heardMs = Math.max(heardMs ?? 0, atMs);
    },
    /**
     * True once the absence of pings until `untilMs` can be judged. `nextMs`: time of the next message, if one
     * arrived.
     */
    isConclusive: (untilMs: number, nextMs: number | null): boolean =>
      nextMs !== null || (heardMs !== null && untilMs - heardMs <= usualMs),
    covers: (sinceMs: number, untilMs: number, nextMs: number | null): boolean =>
      coveredSinceMs !== null &&
      heardMs !== null &&
      coveredSinceMs <= sinceMs &&
      (untilMs - heardMs <= usualMs || (nextMs !== null && nextMs - heardMs <= maxGapMs)),
    get: (): Covered => ({ coveredSinceMs, heardMs }),
  };
}
export type Coverage = ReturnType<typeof createCoverage>;
