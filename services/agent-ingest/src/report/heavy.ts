import { AppError, unavailable } from "@sonde/kit/errors";
import { createLimiter, createQueue } from "@sonde/kit/concurrency/limiter";

/** Large reports are read one after the other, so that together they leave the loop free; small ones do not wait. */
export type HeavyWork = {
  /** @throws AppError `too_many` where the agent has one waiting; `unavailable` where very many wait; what `work` throws */
  run<Answer>(agentId: number, work: () => Promise<Answer>): Promise<Answer>;
};

/** Inflated bytes from which a report is large: some ten ordinary samples. */
export const heavyBytes = 16 * 1024;
/** Some seconds of work. */
const mostWaiting = 64;
const retryAfterSeconds = 5;

export function createHeavyWork(): HeavyWork {
  const { key, params } = unavailable("agent-ingest");
  const refusal = (bound: "total" | "perKey") =>
    bound === "perKey"
      ? new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds })
      : new AppError("unavailable", key, { params, retryAfterSeconds });
  const admitted = createLimiter<number>({ perKey: 1, total: mostWaiting, refusal });
  const queue = createQueue();
  return { run: (agentId, work) => admitted.run(agentId, () => queue(work)) };
}
