import type { Clock } from "@sonde/kit/time/clock";
import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";

/** How often each of many may do something: so often at once, and as often a minute. */
export type Rate<Key> = {
  /** @throws AppError too_many, with the seconds until it may again */
  take(key: Key): void;
  /** The same, but for taking. */
  check(key: Key): void;
  /**
   * Charges more for a report that turned out to be large. The budget may become negative: such a sender waits longer,
   * and its other large reports are refused meanwhile. @throws AppError too_many
   */
  charge(key: Key, times: number): void;
};

type Bucket = { left: number; atMs: number };

const sweepEvery = 10_000;

export function createRate<Key>(clock: Clock, perMinute: number, message: Message): Rate<Key> {
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
    take(key) {
      const nowMs = clock.elapsedMs();
      if (++takes % sweepEvery === 0) {
        for (const [id, bucket] of buckets) if (refilled(bucket, nowMs) >= perMinute) buckets.delete(id);
      }
      const left = leftOf(key, nowMs);
      buckets.set(key, { left: left >= 1 ? left - 1 : left, atMs: nowMs });
      refuseBelow(1, left);
    },
    check: (key) => refuseBelow(1, leftOf(key, clock.elapsedMs())),
    charge(key, times) {
      if (times <= 0) return;
      const nowMs = clock.elapsedMs();
      const left = leftOf(key, nowMs);
      refuseBelow(0, left);
      buckets.set(key, { left: left - times, atMs: nowMs });
    },
  };
}
