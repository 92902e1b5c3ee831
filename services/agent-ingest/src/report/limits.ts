import { createLimiter, createQueue } from "@sonde/kit/concurrency/limiter";
import { AppError, unavailable } from "@sonde/kit/errors";

export const maxBatchSamples = 500;
/** One sample as it is sent; a hundred disks and a hundred interfaces with long names fit. */
export const maxSampleBytes = 64 * 1024;
/** The largest rest of a report beside its samples. */
export const maxRestBytes = 64 * 1024;

/** A report counts once against its agent's rate for each unit of inflated bytes, and for each unit of samples. */
export const reportUnitBytes = 64 * 1024;
export const reportUnitSamples = 100;

/** How often a report of this size counts. */
export const unitsOf = (bytes: number, samples: number): number =>
  Math.max(1, Math.ceil(bytes / reportUnitBytes), Math.ceil(samples / reportUnitSamples));

/** Inflated bytes from which a report is large: some ten ordinary samples. */
export const heavyBytes = 16 * 1024;
/** Some seconds of work. */
const maxWaiting = 64;
const retryAfterSeconds = 5;

/** Large reports are read one after the other, so that together they leave the loop free; small ones do not wait. */
export function createHeavyWork() {
  const { key, params } = unavailable("agent-ingest");
  const refusal = (bound: "total" | "perKey") =>
    bound === "perKey"
      ? new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds })
      : new AppError("unavailable", key, { params, retryAfterSeconds });
  const admitted = createLimiter<number>({ perKey: 1, total: maxWaiting, refusal });
  const queue = createQueue();
  return {
    /** @throws AppError `too_many` where the agent has one waiting; `unavailable` where very many wait; what `work` throws */
    run: <Answer>(agentId: number, work: () => Promise<Answer>) => admitted.run(agentId, () => queue(work)),
  };
}
