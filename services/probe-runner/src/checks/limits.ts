import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { TimerClock } from "@sonde/kit/time/clock";

/** How many checks may run at once. */
export interface LimitOptions {
  total: number;
  perHost: number;
}

/** A check that asks to run. */
export interface Applicant {
  host: string;
  /** It ran into its timeout last time: such checks may take three quarters of the capacity, never the rest. */
  suspect: boolean;
  start(): void;
}

type Host = { taken: number; queue: Applicant[] };

/** Limits concurrent checks, in total and by host, so that a few dead targets never block the others. */
export function createCheckLimits({ total, perHost }: LimitOptions) {
  const hosts = new Map<string, Host>();
  const queues = { well: [] as Applicant[], suspect: [] as Applicant[] };
  const suspectTotal = Math.max(1, Math.floor((total * 3) / 4));
  let taken = 0;
  let suspects = 0;
  let waiting = 0;

  const hasCapacity = (suspect: boolean) => taken < total && (!suspect || suspects < suspectTotal);

  // Its host has capacity for it already.
  function startOrQueue(applicant: Applicant) {
    if (!hasCapacity(applicant.suspect)) {
      waiting++;
      queues[applicant.suspect ? "suspect" : "well"].push(applicant);
      return;
    }
    taken++;
    if (applicant.suspect) suspects++;
    applicant.start();
  }

  function startNext() {
    for (const queue of [queues.well, queues.suspect]) {
      const next = queue[0];
      if (next === undefined || !hasCapacity(next.suspect)) continue;
      queue.shift();
      waiting--;
      return startOrQueue(next);
    }
  }

  return {
    /** Starts the check now, or as soon as there is capacity, in order. Each started one calls `leave` once. */
    enter(applicant: Applicant) {
      let host = hosts.get(applicant.host);
      if (host === undefined) hosts.set(applicant.host, (host = { taken: 0, queue: [] }));
      if (host.taken >= perHost) {
        waiting++;
        host.queue.push(applicant);
        return;
      }
      host.taken++;
      startOrQueue(applicant);
    },
    leave(applicant: Applicant) {
      taken--;
      if (applicant.suspect) suspects--;
      const host = hosts.get(applicant.host)!;
      const next = host.queue.shift();
      if (next === undefined) {
        if (--host.taken === 0) hosts.delete(applicant.host);
      } else {
        waiting--;
        startOrQueue(next);
      }
      startNext();
    },
    inFlight: () => taken,
    waiting: () => waiting,
  };
}

/** A person waits for the answer, and its caller for three seconds beyond the check's own timeout. */
const waitMs = 1000;
const share = 0.05;
const fewest = 4;

/**
 * A twentieth of the scheduled checks' number, at least four, and as many callers that wait a second. However many
 * manual checks are requested, of any host, scheduled checks keep all their own capacity.
 */
export function createManualConcurrency(clock: TimerClock, scheduledTotal: number) {
  const total = Math.max(fewest, Math.floor(scheduledTotal * share));
  const limiter = createLimiter<null>({ total, waiting: total });
  return {
    /** Runs a check where there is room for it now or soon; null if there is none. The check must not throw. */
    async run<Result>(check: () => Promise<Result>): Promise<Result | null> {
      const waited = new AbortController();
      const cancel = clock.setTimeout(() => waited.abort(), waitMs);
      const running = limiter.run(null, () => (cancel(), check()), waited.signal);
      return running.catch(() => null).finally(cancel);
    },
    taken: limiter.taken,
  };
}
