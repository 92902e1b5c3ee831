import { createLimiter, createQueue } from "@sonde/kit/concurrency/limiter";
import { AppError, unavailable } from "@sonde/kit/errors";
import type { Clock } from "@sonde/kit/time/clock";
import type { Message } from "@sonde/proto/http/messages";

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

type Bucket = { left: number; atMs: number };

const sweepEvery = 10_000;

/** How often each of many may do something: so often at once, and as often a minute. */
export function createRate<Key>(clock: Clock, perMinute: number, message: Message) {
  const buckets = new Map<Key, Bucket>();
  const perMs = perMinute / 60_000;
  let takes = 0;
  const refilled = ({ left, atMs }: Bucket, nowMs: number) => Math.min(perMinute, left + (nowMs - atMs) * perMs);
  const leftOf = (key: Key, nowMs: number) => refilled(buckets.get(key) ?? { left: perMinute, atMs: nowMs }, nowMs);
  const refuseBelow = (least: number, left: number) => {
    if (left >= least) return;
    throw new AppError("too_many", message, {
      params: { max: perMinute },
      retryAfterSeconds: Math.max(1, Math.ceil((Math.max(1, least) - left) / perMs / 1000)),
    });
  };
  return {
    /** @throws AppError too_many, with the seconds until it may again */
    take(key: Key): void {
      const nowMs = clock.elapsedMs();
      if (++takes % sweepEvery === 0) {
        for (const [id, bucket] of buckets) if (refilled(bucket, nowMs) >= perMinute) buckets.delete(id);
      }
      const left = leftOf(key, nowMs);
      buckets.set(key, { left: left >= 1 ? left - 1 : left, atMs: nowMs });
      refuseBelow(1, left);
    },
    /** The same, but for taking. */
    check: (key: Key): void => refuseBelow(1, leftOf(key, clock.elapsedMs())),
    /**
     * Charges more for a report that turned out to be large. The budget may become negative: such a sender waits longer,
     * and its other large reports are refused meanwhile. @throws AppError too_many
     */
    charge(key: Key, times: number): void {
      if (times <= 0) return;
      const nowMs = clock.elapsedMs();
      const left = leftOf(key, nowMs);
      refuseBelow(0, left);
      buckets.set(key, { left: left - times, atMs: nowMs });
    },
  };
}

/** Inflated bytes from which a report is large: some ten ordinary samples. */
export const heavyBytes = 16 * 1024;
/** Some seconds of work. */
const mostWaiting = 64;
const retryAfterSeconds = 5;

/** Large reports are read one after the other, so that together they leave the loop free; small ones do not wait. */
export function createHeavyWork() {
  const { key, params } = unavailable("agent-ingest");
  const refusal = (bound: "total" | "perKey") =>
    bound === "perKey"
      ? new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds })
      : new AppError("unavailable", key, { params, retryAfterSeconds });
  const admitted = createLimiter<number>({ perKey: 1, total: mostWaiting, refusal });
  const queue = createQueue();
  return {
    /** @throws AppError `too_many` where the agent has one waiting; `unavailable` where very many wait; what `work` throws */
    run: <Answer>(agentId: number, work: () => Promise<Answer>) => admitted.run(agentId, () => queue(work)),
  };
}
