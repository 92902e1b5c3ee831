import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { type Loop, startLoop } from "@sonde/kit/time/loop";
import { PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";

export type Presence = {
  /** Whether a ping would be stored now. */
  accepts: () => boolean;
  /** Those of PINGS that have heartbeats. */
  partitions: () => Set<number>;
};

/** An absence counts only where marks are at most 15 s apart. */
const everyMs = 5_000;
const publishMs = 4_000;

/**
 * Marks in each partition of PINGS that has heartbeats that a gateway takes pings, while it does: if no mark covers a
 * deadline the silence may be ours, and no job is blamed for it.
 */
export function startPresence(bus: Bus, { accepts, partitions }: Presence): Loop {
  const mark = toBinary(PingBatchSchema, create(PingBatchSchema, { present: randomUUID() }));
  const publish = (partition: number) => bus.js.publish(subjects.pings(partition), mark, { timeout: publishMs });
  const loop = startLoop({
    work: "marking that pings are taken",
    log: bus.log,
    everyMs,
    retryMs: 1_000,
    run: () => (accepts() ? Promise.all([...partitions()].map(publish)) : undefined),
  });
  loop.nudge();
  return loop;
}
