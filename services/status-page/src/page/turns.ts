import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import { setTimeout as sleep } from "node:timers/promises";

/** Work that is asked for often and done once for all who asked meanwhile. */
export type Turns = {
  /** It runs soon; asked while it runs, it runs once more. */
  soon(): void;
  /** Nothing begins any more; what runs is waited for, but not for long. */
  stop(): Promise<void>;
};

export type TurnsOptions = {
  clock: TimerClock;
  log: Pick<Log, "warn">;
  /** For the log. */
  work: string;
  /** From the first asking to its run: what is asked meanwhile is done with it. */
  delayMs: number;
  /** From one beginning to the next, at least. */
  everyMs: number;
  /** After a failure it is tried again, so much later. */
  retryMs: number;
  run(): Promise<void>;
};

/** Whoever is asked may not answer for twenty seconds. */
const waitMs = 1_000;

/** Failures are logged, the first of a row alone. */
export function openTurns({ clock, log, work, delayMs, everyMs, retryMs, run }: TurnsOptions): Turns {
  let stopped = false;
  let cancel: (() => void) | null = null;
  let dueMs = Number.POSITIVE_INFINITY;
  let running: Promise<void> | null = null;
  let wanted = false;
  let beganMs = Number.NEGATIVE_INFINITY;
  let failed = false;

  const wake = (afterMs: number) => {
    const atMs = clock.elapsedMs() + afterMs;
    if (stopped || atMs >= dueMs) return;
    cancel?.();
    dueMs = atMs;
    cancel = clock.setTimeout(begin, afterMs);
  };
  const begin = () => {
    cancel = null;
    dueMs = Number.POSITIVE_INFINITY;
    wanted = false;
    beganMs = clock.elapsedMs();
    running = attempt().finally(() => {
      running = null;
      if (wanted) soon();
    });
  };
  const attempt = async () => {
    try {
      await run();
      failed = false;
    } catch (error) {
      if (!failed && !stopped) log.warn({ err: error, work }, "work for the public page failed; trying again");
      failed = true;
      setRetry();
    }
  };
  const setRetry = () => wake(retryMs);
  const soon = () => {
    if (running !== null) wanted = true;
    else wake(Math.max(delayMs, beganMs + everyMs - clock.elapsedMs()));
  };
  return {
    soon,
    async stop() {
      stopped = true;
      cancel?.();
      await Promise.race([running, sleep(waitMs, undefined, { ref: false })]);
    },
  };
}
