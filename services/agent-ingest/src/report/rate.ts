import type { Clock } from "@sonde/kit/clock";
import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";

/** How often each of many may do something: so often at once, and as often a minute. */
export type Rate<Key> = {
  /** @throws AppError too_many, with the seconds until it may again */
  take(key: Key): void;
  /** The same, but for taking. */
  check(key: Key): void;
};

type Bucket = { left: number; atMs: number };

const sweepEvery = 10_000;

export function createRate<Key>(clock: Clock, perMinute: number, message: Message): Rate<Key> {
  const buckets = new Map<Key, Bucket>();
  const perMs = perMinute / 60_000;
  let takes = 0;
  const refilled = ({ left, atMs }: Bucket, nowMs: number) => Math.min(perMinute, left + (nowMs - atMs) * perMs);
  const leftOf = (key: Key, nowMs: number) => refilled(buckets.get(key) ?? { left: perMinute, atMs: nowMs }, nowMs);
  const refuseBelowOne = (left: number) => {
    if (left >= 1) return;
    throw new AppError("too_many", message, {
      params: { max: perMinute },
      retryAfterSeconds: Math.max(1, Math.ceil((1 - left) / perMs / 1000)),
    });
  };
  return {
    take(key) {
      const nowMs = clock.elapsedMs();
      if (++takes % sweepEvery === 0) {
        for (const [id, bucket] of buckets) if (refilled(bucket, nowMs) >= perMinute) buckets.delete(id);
      }
      const left = leftOf(key, nowMs);
      buckets.set(key, { left: left >= 1 ? left - 1 : left, atMs: nowMs });
      refuseBelowOne(left);
    },
    check: (key) => refuseBelowOne(leftOf(key, clock.elapsedMs())),
  };
}
