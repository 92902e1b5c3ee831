import type { Log } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import { setTimeout as sleep } from "node:timers/promises";

/** Work that is requested often and done once for all concurrent requests. */
export type Turns = {
  /** Runs soon; if requested while it runs, it runs once more. */
  soon(): void;
  /** Starts no more runs, and waits briefly for the current one. */
  stop(): Promise<void>;
};

export type TurnsOptions = {
  clock: TimerClock;
  log: Pick<Log, "info" | "warn">;
  /** For the log. */
  work: string;
  /** From the first request to its run: requests meanwhile are done with it. */
  delayMs: number;
  /** From one beginning to the next, at least. */
  everyMs: number;
  /** After a failure it is tried again, so much later. */
  retryMs: number;
  run(): Promise<void>;
};

/** A slow service may take twenty seconds to answer. */
const waitMs = 1_000;

export function openTurns({ clock, log, work, delayMs, everyMs, retryMs, run }: TurnsOptions): Turns {
  let beganMs = Number.NEGATIVE_INFINITY;
  const begin = () => {
    beganMs = clock.elapsedMs();
    return run();
  };
  const onlyNudged = Number.POSITIVE_INFINITY;
  const loop = startLoop({ work: `public page: ${work}`, log, clock, everyMs: onlyNudged, retryMs, run: begin });
  return {
    // At least one millisecond: no run begins inside its caller.
    soon: () => loop.nudge(Math.max(1, delayMs, beganMs + everyMs - clock.elapsedMs())),
    stop: () => Promise.race([loop.stop(), sleep(waitMs, undefined, { ref: false })]),
  };
}

/** The same, by one clock and into one log. */
export const turnsBy =
  ({ clock, log }: Pick<TurnsOptions, "clock" | "log">) =>
  (work: string, delays: Pick<TurnsOptions, "delayMs" | "everyMs" | "retryMs">, run: () => Promise<void>): Turns =>
    openTurns({ clock, log, work, ...delays, run });
