import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { type Loop, startLoop } from "@sonde/kit/time/loop";
import { PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { partitions, subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";

/** An absence counts only where marks are at most 15 s apart. */
const everyMs = 5_000;
const publishMs = 4_000;

/**
 * Writes into every partition of PINGS that a gateway takes pings, while it does: where no mark covers a deadline the
 * silence may be ours, and no job is blamed for it.
 * @param accepts whether a ping would be stored now
 */
export function startPresence(bus: Bus, accepts: () => boolean): Loop {
  const mark = toBinary(PingBatchSchema, create(PingBatchSchema, { present: randomUUID() }));
  const publish = (partition: number) => bus.js.publish(subjects.pings(partition), mark, { timeout: publishMs });
  const loop = startLoop({
    work: "marking that pings are taken",
    log: bus.log,
    everyMs,
    retryMs: 1_000,
    run: () => (accepts() ? Promise.all(Array.from({ length: partitions }, (_, at) => publish(at))) : undefined),
  });
  loop.nudge();
  return loop;
}
