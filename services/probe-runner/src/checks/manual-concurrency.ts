import type { TimerClock } from "@sonde/kit/time/clock";

/** How many checks by hand may run at once, apart from the schedule. */
export interface ManualConcurrency {
  /** Resolves with true once the caller may run a check, which it ends by `leave`; with false where it may not. */
  enter(): Promise<boolean>;
  leave(): void;
  taken(): number;
}

/** A person waits for the answer, and its caller for three seconds beyond the check's own timeout. */
const waitMs = 1000;
const share = 0.05;
const fewest = 4;

/**
 * A twentieth of the scheduled checks' number, at least four, and as many callers that wait a second. However many
 * checks people ask for, of whatever host, scheduled checks keep all their own capacity.
 */
export function createManualConcurrency(clock: TimerClock, scheduledTotal: number): ManualConcurrency {
  const total = Math.max(fewest, Math.floor(scheduledTotal * share));
  const waiting: ((entered: boolean) => void)[] = [];
  let taken = 0;

  function wait(): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (entered: boolean) => {
        clear();
        resolve(entered);
      };
      const clear = clock.setTimeout(() => {
        waiting.splice(waiting.indexOf(answer), 1);
        resolve(false);
      }, waitMs);
      waiting.push(answer);
    });
  }

  return {
    async enter() {
      if (taken >= total) return waiting.length < total ? wait() : false;
      taken++;
      return true;
    },
    leave() {
      // The capacity goes straight to who waits longest.
      const next = waiting.shift();
      if (next === undefined) taken--;
      else next(true);
    },
    taken: () => taken,
  };
}
