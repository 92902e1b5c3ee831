import { isDatabaseAway } from "../postgres/database.ts";
import type { Log } from "../service/log.ts";

/** Retries as long as PostgreSQL is unavailable, since a partition never skips a result. */
export type RetryPolicy = {
  /** Rejects when stopped, or with an error that a retry cannot fix. */
  persist<Answer>(run: () => Promise<Answer>): Promise<Answer>;
  /** It is unavailable now. */
  waiting(): boolean;
  stop(): void;
};

const retryMs = 500;
const hopelessFaults = 5;

export function createRetryPolicy(log: Log, partition: number, onBack: () => void): RetryPolicy {
  let waiting = false;
  let stopped = false;
  return {
    waiting: () => waiting,
    stop: () => void (stopped = true),
    async persist(run) {
      for (let faults = 0; ;) {
        try {
          const answer = await run();
          if (waiting) onBack();
          waiting = false;
          return answer;
        } catch (error) {
          const isAway = isDatabaseAway(error);
          if (!isAway) faults++;
          if (stopped || faults === hopelessFaults) {
            // The wait is over; the partition continues.
            waiting = false;
            throw error;
          }
          const reason = isAway ? "PostgreSQL is unreachable" : "a statement failed";
          if (!waiting) log.warn({ err: error, partition }, `${reason}: a partition waits`);
          waiting = true;
          await new Promise((resolve) => setTimeout(resolve, retryMs));
          if (stopped) throw error;
        }
      }
    },
  };
}
