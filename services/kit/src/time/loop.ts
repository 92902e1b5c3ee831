import type { Service } from "../service/lifecycle.ts";
import type { Log } from "../service/log.ts";
import { counter } from "../telemetry/metrics.ts";
import { systemClock, type TimerClock } from "./clock.ts";

const faults = counter("sonde_timer_faults_total", "Failed runs of periodic work", ["work"]);
const logAgainMs = 60_000;
/** Shorter intervals than this are kept as they are. */
const minGridMs = 100;
const maxGridMs = 1_000;
/** A timer may fire so much too early; that turn is done then, and not due again. */
const earlyMs = 5;

export type LoopOptions = {
  /** Names it in the log and in the metric of faults. */
  work: string;
  /** Without one, faults are only counted. */
  log?: Pick<Log, "info" | "warn">;
  /**
   * From the end of one run to the next, in milliseconds; a function is called after each run. Infinity: only when
   * nudged.
   */
  everyMs: number | (() => number);
  /** The same after a run that failed. */
  retryMs?: number;
  clock?: TimerClock;
  run: () => unknown;
};

export type Loop = Service & {
  /** Runs now, or after `afterMs` if nothing is due sooner; once more after a run that is in progress. */
  nudge(afterMs?: number): void;
};

/**
 * Repeats work, one run at a time: polls, retries after faults, and runs at once when nudged. The first poll comes after
 * `everyMs`; nudge it to begin at once. `stop` waits for the run under way.
 *
 * What a run throws, or rejects with, is counted and logged (the first of a row, then once a minute) and the next run
 * comes all the same: an exception in a bare timer ends the process.
 *
 * Polls of one process run at the same instants, so that an idle process wakes once a second, not once for each of them.
 * So a poll comes up to a second early (`untilTurnMs`).
 */
export function startLoop({ work, log, everyMs, retryMs, clock = systemClock, run }: LoopOptions): Loop {
  let stopped = false;
  let isRunning = false;
  let running: Promise<void> | undefined;
  let dueMs = Number.POSITIVE_INFINITY;
  let cancel = () => {};
  let isFailing = false;
  let loggedMs = Number.NEGATIVE_INFINITY;

  const runBy = (atMs: number) => {
    if (stopped || atMs >= dueMs) return;
    dueMs = atMs;
    cancel();
    if (!isRunning) cancel = clock.setTimeout(begin, Math.max(0, atMs - clock.elapsedMs()));
  };
  const begin = () => {
    isRunning = true;
    dueMs = Number.POSITIVE_INFINITY;
    cancel();
    try {
      const result = run();
      if (result instanceof Promise) running = result.then(succeed, fail).then(goOn);
      else succeed();
    } catch (error) {
      fail(error);
    }
    if (running === undefined) goOn();
  };
  const succeed = () => {
    if (isFailing) log?.info({ work }, `${work}: works again`);
    isFailing = false;
    loggedMs = Number.NEGATIVE_INFINITY;
  };
  const fail = (error: unknown) => {
    faults.inc({ work });
    isFailing = true;
    if (stopped || clock.elapsedMs() - loggedMs < logAgainMs) return;
    loggedMs = clock.elapsedMs();
    log?.warn({ err: error, work }, `${work} failed; retrying`);
  };
  const goOn = () => {
    const wasAsync = running !== undefined;
    running = undefined;
    isRunning = false;
    if (stopped) return;
    const intervalMs = typeof everyMs === "number" ? everyMs : everyMs();
    const nowMs = clock.elapsedMs();
    const nextMs = nowMs + untilTurnMs(nowMs, isFailing ? (retryMs ?? intervalMs) : intervalMs);
    // A nudge during a run that failed waits for the retry.
    const nudgedMs = isFailing ? nextMs : dueMs;
    dueMs = Number.POSITIVE_INFINITY;
    // Work that nudges itself without awaiting anything takes a timer: the event loop turns in between.
    if (wasAsync && nudgedMs <= nowMs) begin();
    else runBy(Math.min(nudgedMs, nextMs));
  };

  goOn();
  return {
    nudge(afterMs = 0) {
      if (afterMs > 0 || isRunning) runBy(clock.elapsedMs() + afterMs);
      else if (!stopped) begin();
    },
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}

/** Milliseconds until the next turn: at a whole second, or at a multiple of the interval where that is less. */
export function untilTurnMs(nowMs: number, intervalMs: number): number {
  if (intervalMs < minGridMs) return intervalMs;
  const gridMs = Math.min(intervalMs, maxGridMs);
  return Math.ceil(Math.floor((nowMs + intervalMs + earlyMs) / gridMs) * gridMs - nowMs);
}
