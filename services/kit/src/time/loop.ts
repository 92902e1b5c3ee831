import type { Service } from "../service/lifecycle.ts";
import type { Log } from "../service/log.ts";
import { counter } from "../telemetry/metrics.ts";
import { systemClock, type TimerClock } from "./clock.ts";

const faults = counter("sonde_timer_faults_total", "Failed runs of periodic work", ["work"]);
const logAgainMs = 60_000;
/** Shorter intervals are not aligned. */
const minGridMs = 100;
const maxGridMs = 1_000;
/** A timer may fire this much early; its turn then counts as done. */
const earlyMs = 5;

export type LoopOptions = {
  work: string;
  log?: Pick<Log, "info" | "warn">;
  /** From the end of a run to the start of the next. Called after each run. Infinity: only when nudged. */
  everyMs: number | (() => number);
  /** Defaults to `everyMs`. */
  retryMs?: number;
  clock?: TimerClock;
  run: () => unknown;
};

export type Loop = Service & {
  /** Runs now, or after `afterMs` unless a run is due earlier. During a run, another one follows. */
  nudge(afterMs?: number): void;
};

/**
 * Repeats work, one run at a time. The first run comes after `everyMs`; call `nudge` to start at once. `stop` waits for
 * the current run. Errors are counted and logged (the first in a row, then once a minute); in a bare timer they would
 * end the process.
 * Polls of a process are aligned to the same instants, so that an idle process wakes once a second. A poll may
 * therefore come up to a second early (`untilTurnMs`).
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
    // After a failure, a nudge waits for the retry.
    const nudgedMs = isFailing ? nextMs : dueMs;
    dueMs = Number.POSITIVE_INFINITY;
    // Synchronous work that nudges itself must not block the event loop.
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

/** A turn is at a whole second or, for shorter intervals, at a multiple of the interval. */
export function untilTurnMs(nowMs: number, intervalMs: number): number {
  if (intervalMs < minGridMs) return intervalMs;
  const gridMs = Math.min(intervalMs, maxGridMs);
  return Math.ceil(Math.floor((nowMs + intervalMs + earlyMs) / gridMs) * gridMs - nowMs);
}
