import type { TimerClock } from "@sonde/kit/time/clock";

/** Measures how long this process's event loop was blocked while checks ran. */
export interface LoopLag {
  /** A check begins, and ends: the loop is timed meanwhile, so that a runner without checks does not wake for it. */
  begin(): void;
  end(): void;
  /** The longest stall, in milliseconds, that ended after this monotonic instant, one under way included. */
  longestSince(elapsedMs: number): number;
  stop(): void;
}

const tickMs = 50;
const rememberedMs = 600_000;
// Shorter delays do not affect a check.
const worthMs = 20;

/** Measures the loop by a timer that should come back every 50 ms. */
export function watchLoopLag(clock: TimerClock): LoopLag {
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
    begin() {
      underWay++;
      if (dueMs === Number.POSITIVE_INFINITY) arm();
    },
    end: () => void underWay--,
    longestSince(elapsedMs) {
      let longestMs = Math.max(0, clock.elapsedMs() - dueMs);
      for (const { endedMs, lagMs } of stalls) {
        if (endedMs >= elapsedMs && lagMs > longestMs) longestMs = lagMs;
      }
      return longestMs;
    },
    stop: () => cancel(),
  };
}
