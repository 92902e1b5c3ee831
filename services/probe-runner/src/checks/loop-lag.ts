import type { TimerClock } from "@sonde/kit/time/clock";

const tickMs = 50;
const rememberedMs = 600_000;
// Shorter delays do not affect a check.
const minLagMs = 20;

/** Measures how long the event loop was blocked while checks ran, with a 50 ms timer. */
export function watchLoopLag(clock: TimerClock) {
  let underWay = 0;
  let dueMs = Number.POSITIVE_INFINITY;
  let stalls: { endedMs: number; lagMs: number }[] = [];
  let cancel = () => {};

  function arm() {
    dueMs = clock.elapsedMs() + tickMs;
    cancel = clock.setTimeout(tick, tickMs);
  }

  function tick() {
    const nowMs = clock.elapsedMs();
    const lagMs = nowMs - dueMs;
    if (lagMs > minLagMs) {
      stalls = stalls.filter(({ endedMs }) => nowMs - endedMs < rememberedMs);
      stalls.push({ endedMs: nowMs, lagMs });
    }
    if (underWay > 0) arm();
    else dueMs = Number.POSITIVE_INFINITY;
  }

  return {
    /** Starts timing the loop, until the matching `end`. An idle runner is not woken. */
    begin() {
      underWay++;
      if (dueMs === Number.POSITIVE_INFINITY) arm();
    },
    end: () => void underWay--,
    /** Returns the longest stall in milliseconds that ended after `elapsedMs` (monotonic) or is still going on. */
    maxLagSince(elapsedMs: number): number {
      let maxMs = Math.max(0, clock.elapsedMs() - dueMs);
      for (const { endedMs, lagMs } of stalls) {
        if (endedMs >= elapsedMs && lagMs > maxMs) maxMs = lagMs;
      }
      return maxMs;
    },
    stop: () => cancel(),
  };
}

export type LoopLag = ReturnType<typeof watchLoopLag>;
