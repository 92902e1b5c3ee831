import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { setTimeout as sleep } from "node:timers/promises";

/** Work that is requested often and run once for all requests of a moment. */
type PacedLoop = {
  /** Runs soon; once more if requested during a run. */
  soon(): void;
  /** Starts no more runs, and waits briefly for the current one. */
  stop(): Promise<void>;
};

type Pace = {
  /** From the first request to its run. */
  delayMs: number;
  /** The minimum from one start to the next. */
  everyMs: number;
  /** From a failed run to the next. */
  retryMs: number;
};

/** A slow service may take twenty seconds to answer. */
const stopWithinMs = 1_000;

/** @param work for the log */
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
    // At least one millisecond: no run begins inside its caller.
    soon: () => loop.nudge(Math.max(1, delayMs, startedMs + everyMs - clock.elapsedMs())),
    stop: () => Promise.race([loop.stop(), sleep(stopWithinMs, undefined, { ref: false })]),
  };
}
