import { AppError, unavailable } from "@sonde/kit/errors";
import { createQueue } from "@sonde/kit/concurrency/queue";

/** Large reports are read one after the other, so that together they leave the loop free; small ones do not wait. */
export type HeavyWork = {
  /** @throws AppError `too_many` where the agent has one waiting; `unavailable` where very many wait; what `work` throws */
  run<Answer>(agentId: number, work: () => Promise<Answer>): Promise<Answer>;
};

/** Inflated bytes from which a report is large: some ten ordinary samples. */
export const heavyBytes = 16 * 1024;
/** Some seconds of work. */
const mostWaiting = 64;
const retrySeconds = 5;

export function createHeavyWork(): HeavyWork {
  const queue = createQueue();
  const waiting = new Set<number>();
  return {
    async run(agentId, work) {
      const retryAfterSeconds = retrySeconds;
      if (waiting.has(agentId)) {
        throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds });
      }
      if (waiting.size >= mostWaiting) {
        const { key, params } = unavailable("agent-ingest");
        throw new AppError("unavailable", key, { params, retryAfterSeconds });
      }
      waiting.add(agentId);
      return queue(work).finally(() => waiting.delete(agentId));
    },
  };
}
