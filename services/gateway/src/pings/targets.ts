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

/** `monitorId` is 0 for a bare ping key. `format`: of an inbound monitor. */
export type PingTarget = { monitorId: number; creates: boolean; format: string };

export type PingTargets = {
  find(key: string): PingTarget | undefined;
  current(): boolean;
  /** False for a recreated bucket until all targets are written: an unknown key may then be valid. */
  complete(): boolean;
};

/** Follows the bucket `pings`, which contains only hashes of keys. */
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
        const { monitorId, creates, format, deleted, untilMs = Infinity } = fromBinary(PingTargetSchema, value);
        if (deleted) known.delete(key);
        else known.set(key, { monitorId, creates, format, untilMs });
      } catch (error) {
        bus.log.warn({ err: error }, "invalid ping target in the bucket");
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
