import { createLimiter, createQueue } from "@sonde/kit/concurrency/limiter";
import { AppError, unavailable } from "@sonde/kit/errors";

export const maxBatchSamples = 500;
/** As sent. Fits a hundred disks and a hundred interfaces with long names. */
export const maxSampleBytes = 64 * 1024;
export const maxRestBytes = 64 * 1024;

/** A report counts once per started unit of inflated bytes, and once per started unit of samples. */
export const reportUnitBytes = 64 * 1024;
export const reportUnitSamples = 100;

export const unitsOf = (bytes: number, samples: number): number =>
  Math.max(1, Math.ceil(bytes / reportUnitBytes), Math.ceil(samples / reportUnitSamples));

/** Inflated size of a large report: about ten ordinary samples. */
export const heavyBytes = 16 * 1024;
/** A few seconds of work. */
const maxWaiting = 64;
const retryAfterSeconds = 5;

/** Processes large reports one at a time, so that they do not block the event loop; small ones do not wait. */
export function createHeavyWork() {
  const { key, params } = unavailable("agent-ingest");
  const refusal = (bound: "total" | "perKey") =>
    bound === "perKey"
      ? new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds })
      : new AppError("unavailable", key, { params, retryAfterSeconds });
  const admitted = createLimiter<number>({ perKey: 1, total: maxWaiting, refusal });
  const queue = createQueue();
  return {
    /**
     * @throws AppError `too_many` if the agent already has one waiting; `unavailable` if too many are waiting; what
     * `work` throws
     */
    run: <Answer>(agentId: number, work: () => Promise<Answer>) => admitted.run(agentId, () => queue(work)),
  };
}
