import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { TimerClock } from "@sonde/kit/time/clock";

/** How many checks by hand may run at once, apart from the schedule. */
export interface ManualConcurrency {
  /** Runs a check where there is room for it now or soon; null if there is none. The check must not throw. */
  run<Result>(check: () => Promise<Result>): Promise<Result | null>;
  taken(): number;
}

/** A person waits for the answer, and its caller for three seconds beyond the check's own timeout. */
const waitMs = 1000;
const share = 0.05;
const fewest = 4;

/**
 * A twentieth of the scheduled checks' number, at least four, and as many callers that wait a second. However many
 * manual checks are requested, of any host, scheduled checks keep all their own capacity.
 */
export function createManualConcurrency(clock: TimerClock, scheduledTotal: number): ManualConcurrency {
  const total = Math.max(fewest, Math.floor(scheduledTotal * share));
  const limiter = createLimiter<null>({ total, waiting: total });
  return {
    async run(check) {
      const waited = new AbortController();
      const cancel = clock.setTimeout(() => waited.abort(), waitMs);
      const running = limiter.run(null, () => (cancel(), check()), waited.signal);
      return running.catch(() => null).finally(cancel);
    },
    taken: limiter.taken,
  };
}
