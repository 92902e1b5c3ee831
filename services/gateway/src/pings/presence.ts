import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { type Loop, startLoop } from "@sonde/kit/time/loop";
import { PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";

export type Presence = {
  accepts: () => boolean;
  partitions: () => Set<number>;
};

/** Readers tolerate gaps of up to 15 s between marks. */
const everyMs = 5_000;
const publishMs = 4_000;

/** If no mark covers a deadline, the outage may be ours, and no job is reported as failed. */
export function startPresence(bus: Bus, { accepts, partitions }: Presence): Loop {
  const mark = toBinary(PingBatchSchema, create(PingBatchSchema, { present: randomUUID() }));
  const publish = (partition: number) => bus.js.publish(subjects.pings(partition), mark, { timeout: publishMs });
  const loop = startLoop({
    work: "ping presence marks",
    log: bus.log,
    everyMs,
    retryMs: 1_000,
    run: () => (accepts() ? Promise.all([...partitions()].map(publish)) : undefined),
  });
  loop.nudge();
  return loop;
}
