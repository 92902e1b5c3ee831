import type { Message } from "@sonde/proto/http/messages";
import { AppError } from "../errors.ts";
import type { Clock } from "../time/clock.ts";

type Bucket = { left: number; atMs: number };

const sweepEvery = 10_000;

/** Token bucket per key. */
export function createRate<Key>(clock: Clock, perMinute: number, message: Message, burst = perMinute) {
  const buckets = new Map<Key, Bucket>();
  const perMs = perMinute / 60_000;
  let takes = 0;
  const refilled = ({ left, atMs }: Bucket, nowMs: number) => Math.min(burst, left + (nowMs - atMs) * perMs);
  const leftOf = (key: Key, nowMs: number) => refilled(buckets.get(key) ?? { left: burst, atMs: nowMs }, nowMs);
  const refuseBelow = (min: number, left: number) => {
    if (left >= min) return;
    throw new AppError("too_many", message, {
      params: { max: perMinute },
      retryAfterSeconds: Math.max(1, Math.ceil((Math.max(1, min) - left) / perMs / 1000)),
    });
  };
  return {
    /** @throws AppError too_many, with the seconds until the next call */
    take(key: Key): void {
      const nowMs = clock.elapsedMs();
      if (++takes % sweepEvery === 0) {
        for (const [id, bucket] of buckets) if (refilled(bucket, nowMs) >= burst) buckets.delete(id);
      }
      const left = leftOf(key, nowMs);
      buckets.set(key, { left: left >= 1 ? left - 1 : left, atMs: nowMs });
      refuseBelow(1, left);
    },
    check: (key: Key): void => refuseBelow(1, leftOf(key, clock.elapsedMs())),
    /** Charges a large call. A negative balance refuses further charges. @throws AppError too_many */
    charge(key: Key, times: number): void {
      if (times <= 0) return;
      const nowMs = clock.elapsedMs();
      const left = leftOf(key, nowMs);
      refuseBelow(0, left);
      buckets.set(key, { left: left - times, atMs: nowMs });
    },
  };
}
