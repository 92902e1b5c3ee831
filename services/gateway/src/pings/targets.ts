import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Clock } from "@sonde/kit/time/clock";
import { PingTargetSchema } from "@sonde/proto/gen/pings/v1/pings";
import { allPingTargets, buckets } from "@sonde/proto/streams";
import { partitionOf } from "@sonde/proto/subjects";
import { hash } from "node:crypto";
import type { Presence } from "./presence.ts";

/** What an address leads to. `monitorId`: 0 of a ping key alone. */
export type PingTarget = { monitorId: number; creates: boolean };

export type PingTargets = {
  /** @param key what the address ends with */
  find(key: string): PingTarget | undefined;
  /** Whether the bucket was read. */
  current(): boolean;
  /** Whether an unknown key is none of ours: a bucket that was made again lacks addresses until all were written. */
  complete(): boolean;
};

/** What the addresses of heartbeats lead to, in memory. Follows the bucket `pings`, which holds hashes alone. */
export function watchTargets(
  bus: Bus,
  clock: Pick<Clock, "now">,
): PingTargets & Service & Pick<Presence, "partitions"> {
  const known = new Map<string, PingTarget & { untilMs: number }>();
  let [current, complete] = [false, false];
  const following = watchBucket(bus, {
    bucket: buckets.pings,
    mayBeMissing: true,
    onEntry: ({ key, value }) => {
      if (key === allPingTargets) return void (complete = true);
      try {
        const { monitorId, creates, deleted, untilMs = Infinity } = fromBinary(PingTargetSchema, value);
        if (deleted) known.delete(key);
        else known.set(key, { monitorId, creates, untilMs });
      } catch (error) {
        bus.log.warn({ err: error }, "invalid address of a heartbeat in its bucket");
      }
    },
    onDelete: (key) => void known.delete(key),
    onCurrent: () => void (current = true),
  });
  return {
    find(key) {
      const target = known.get(hash("sha256", key, "hex"));
      return target !== undefined && clock.now() < target.untilMs ? target : undefined;
    },
    current: () => current,
    complete: () => complete,
    partitions: () =>
      new Set([...known.values()].flatMap(({ monitorId }) => (monitorId > 0 ? partitionOf(monitorId) : []))),
    stop: following.stop,
  };
}
