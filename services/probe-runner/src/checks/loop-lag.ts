import type { TimerClock } from "@sonde/kit/time/clock";

const tickMs = 50;
const rememberedMs = 600_000;
// Shorter delays do not affect a check.
const worthMs = 20;

/** Measures how long this process's event loop was blocked while checks ran, by a timer that should come back every 50 ms. */
export function watchLoopLag(clock: TimerClock) {
  let underWay = 0;
  /** When the timer should come back; Infinity while there is none. */
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
    if (lagMs > worthMs) {
      stalls = stalls.filter(({ endedMs }) => nowMs - endedMs < rememberedMs);
      stalls.push({ endedMs: nowMs, lagMs });
    }
    if (underWay > 0) arm();
    else dueMs = Number.POSITIVE_INFINITY;
  }

  return {
    /** A check begins, and ends: the loop is timed meanwhile, so that a runner without checks does not wake for it. */
    begin() {
      underWay++;
      if (dueMs === Number.POSITIVE_INFINITY) arm();
    },
    end: () => void underWay--,
    /** The longest stall, in milliseconds, that ended after this monotonic instant, one under way included. */
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
