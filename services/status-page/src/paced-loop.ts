import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { setTimeout as sleep } from "node:timers/promises";

/** Work that is requested often and runs once for all requests of a moment. */
type PacedLoop = {
  /** Runs soon, and again if requested during a run. */
  soon(): void;
  /** Starts no more runs, and waits briefly for the current one. */
  stop(): Promise<void>;
};

type Pace = {
  /** From the first request to its run. */
  delayMs: number;
  /** Minimum time from one start to the next. */
  everyMs: number;
  retryMs: number;
};

/** Short, because a slow service may take twenty seconds to respond. */
const stopWithinMs = 1_000;

export function pacedLoop(
  { clock, log }: { clock: TimerClock; log: Pick<Log, "info" | "warn"> },
  work: string,
  { delayMs, everyMs, retryMs }: Pace,
  run: () => Promise<void>,
): PacedLoop {
  let startedMs = Number.NEGATIVE_INFINITY;
  const loop = startLoop({
    work: `public page: ${work}`,
    log,
    clock,
    everyMs: Number.POSITIVE_INFINITY,
    retryMs,
    run: () => {
      startedMs = clock.elapsedMs();
      return run();
    },
  });
  return {
    // At least one millisecond, so no run begins synchronously.
    soon: () => loop.nudge(Math.max(1, delayMs, startedMs + everyMs - clock.elapsedMs())),
    stop: () => Promise.race([loop.stop(), sleep(stopWithinMs, undefined, { ref: false })]),
  };
}
