import { createLimiter } from "@sonde/kit/concurrency/limiter";
import type { TimerClock } from "@sonde/kit/time/clock";

export interface LimitOptions {
  total: number;
  perHost: number;
}

export interface Applicant {
  host: string;
  /** The previous check timed out. Such checks may use at most three quarters of the capacity. */
  timedOutBefore: boolean;
  start(): void;
}

type Host = { taken: number; queue: Applicant[] };

/** Limits concurrent checks, in total and per host, so that a few dead targets cannot block the others. */
export function createCheckLimits({ total, perHost }: LimitOptions) {
  const hosts = new Map<string, Host>();
  const queues = { regular: [] as Applicant[], timedOutBefore: [] as Applicant[] };
  const timedOutTotal = Math.max(1, Math.floor((total * 3) / 4));
  let taken = 0;
  let timedOutTaken = 0;
  let waiting = 0;

  const hasCapacity = (timedOutBefore: boolean) => taken < total && (!timedOutBefore || timedOutTaken < timedOutTotal);

  // The host's own limit was already checked.
  function startOrQueue(applicant: Applicant) {
    if (!hasCapacity(applicant.timedOutBefore)) {
      waiting++;
      queues[applicant.timedOutBefore ? "timedOutBefore" : "regular"].push(applicant);
      return;
    }
    taken++;
    if (applicant.timedOutBefore) timedOutTaken++;
    applicant.start();
  }

  function startNext() {
    for (const queue of [queues.regular, queues.timedOutBefore]) {
      const next = queue[0];
      if (next === undefined || !hasCapacity(next.timedOutBefore)) continue;
      queue.shift();
      waiting--;
      return startOrQueue(next);
    }
  }

  return {
    /** Starts the check now, or in order as capacity frees up. Call `leave` once for each started check. */
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
      if (applicant.timedOutBefore) timedOutTaken--;
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

/** A user is waiting, and the caller gives up three seconds after the check's own timeout. */
const waitMs = 1000;
const share = 0.05;
const minTotal = 4;

/** Separate capacity of 5 % of the scheduled checks' limit (at least 4), and as many waiting callers. */
export function createManualConcurrency(clock: TimerClock, scheduledTotal: number) {
  const total = Math.max(minTotal, Math.floor(scheduledTotal * share));
  const limiter = createLimiter<null>({ total, waiting: total });
  return {
    /** Runs a check if capacity is free within `waitMs`; otherwise returns `null`. `check` must not throw. */
    async run<Result>(check: () => Promise<Result>): Promise<Result | null> {
      const waited = new AbortController();
      const cancel = clock.setTimeout(() => waited.abort(), waitMs);
      const running = limiter.run(null, () => (cancel(), check()), waited.signal);
      return running.catch(() => null).finally(cancel);
    },
    taken: limiter.taken,
  };
}
