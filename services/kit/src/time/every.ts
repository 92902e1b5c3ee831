import type { Log } from "../service/log.ts";
import { counter } from "../telemetry/metrics.ts";
import { systemClock, type TimerClock } from "./clock.ts";

const faults = counter("sonde_timer_faults_total", "Runs of repeated work that failed", ["work"]);
const sayAgainMs = 60_000;
/** Shorter intervals than this are kept as they are. */
const leastGridMs = 100;
const longestGridMs = 1_000;
/** A timer may come so much too early; that turn is done then, and not due again. */
const earlyMs = 5;

export type Repeated = {
  /** Names it in the log and in the metric of faults. */
  work: string;
  log: Pick<Log, "error">;
  run: () => unknown;
  clock?: TimerClock;
};

/**
 * Runs something every so many milliseconds; the answer ends that. What it throws, or rejects with, is counted and
 * logged (at most once a minute) and the next run comes all the same: an exception in a bare timer ends the process.
 *
 * What repeats in one process runs at the same instants, so that an idle process wakes once a second, not once for each
 * of them. So the first run comes up to a second early (`untilTurnMs`).
 * @param intervalMs a function is asked after each run, for the time until the next
 */
export function every(
  intervalMs: number | (() => number),
  { work, log, run, clock = systemClock }: Repeated,
): () => void {
  let saidMs = Number.NEGATIVE_INFINITY;
  const onFault = (error: unknown) => {
    faults.inc({ work });
    if (performance.now() - saidMs < sayAgainMs) return;
    saidMs = performance.now();
    log.error({ err: error, work }, "periodic work failed");
  };
  const runSafely = () => {
    try {
      const running = run();
      if (running instanceof Promise) running.catch(onFault);
    } catch (error) {
      onFault(error);
    }
  };
  return everyTurn(intervalMs, runSafely, clock);
}

/** The same for what throws nothing. */
export function everyTurn(
  intervalMs: number | (() => number),
  run: () => void,
  clock: TimerClock = systemClock,
): () => void {
  let stopped = false;
  let cancel = () => {};
  const arm = () => {
    const ms = typeof intervalMs === "number" ? intervalMs : intervalMs();
    cancel = clock.setTimeout(turn, untilTurnMs(clock.elapsedMs(), ms));
  };
  const turn = () => {
    run();
    if (!stopped) arm();
  };
  arm();
  return () => {
    stopped = true;
    cancel();
  };
}

/** Milliseconds until the next turn: at a whole second, or at a multiple of the interval where that is less. */
export function untilTurnMs(nowMs: number, intervalMs: number): number {
  if (intervalMs < leastGridMs) return intervalMs;
  const gridMs = Math.min(intervalMs, longestGridMs);
  return Math.ceil(Math.floor((nowMs + intervalMs + earlyMs) / gridMs) * gridMs - nowMs);
}
