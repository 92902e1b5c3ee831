import { create, toBinary } from "@bufbuild/protobuf";
import type { FakeSystem } from "@sonde/gateway/testing/fake-system";
import { principals } from "@sonde/gateway/testing/principals";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { subjects } from "@sonde/proto/subjects";
import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, ms, percent, percentile } from "@sonde/testing/figures";
import { answerOf, startClient, type Watched } from "./processes.ts";

const streams = 1000;
const sessions = 100;
const changesASecond = 50;
const tokenPrefix = "a-token-for-the-benchmark-";

/** P8: delay of a change at many event streams, and its CPU cost. */
export async function streaming(gateway: Watched, system: FakeSystem, measureMs: number): Promise<Figure[]> {
  for (let index = 0; index < sessions; index += 1) {
    const token = `${tokenPrefix}${index}`;
    await system.putSession({ ...principals.user, userId: 1000 + index, token }, "user");
  }
  const readers = startClient("readers.ts", gateway.port, streams, tokenPrefix, sessions);
  while ((await openStreams(gateway.opsPort)) < streams) await sleep(100);
  const received = async () => {
    await sleep(1000);
    readers.send("latencies");
    return ((await answerOf(readers)) as { latenciesMs: number[] }).latenciesMs;
  };
  // Warm-up: real streams stay open for hours, so JIT compilation must not count.
  await publish(system, measureMs / 2);
  await received();
  let published = 0;
  const share = await shareOfCore(gateway, async () => (published = await publish(system, measureMs)));
  const latenciesMs = await received();
  readers.disconnect();
  const sorted = Float64Array.from(latenciesMs);
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  const what = `${streams} streams, ${changesASecond} changes a second`;
  return [
    {
      goal: "P8",
      what: `${what}: p99`,
      wanted: "≤ 100 ms",
      measured: `${ms(p99)} (p50 ${ms(p50)}), ${latenciesMs.length} of ${published * streams} received`,
      held: p99 <= 100 && latenciesMs.length === published * streams,
    },
    { goal: "P8", what: `${what}: a core`, wanted: "≤ 25 %", measured: percent(share), held: share <= 25 },
  ];
}

/** CPU use of a process during `run`, in percent of one core. */
async function shareOfCore({ cpuMs }: Watched, run: () => Promise<unknown>): Promise<number> {
  const [before, startedAt] = [await cpuMs(), performance.now()];
  await run();
  return (100 * ((await cpuMs()) - before)) / (performance.now() - startedAt);
}

/** Publishes a change whenever one is due, and returns how many. */
async function publish({ bus }: FakeSystem, durationMs: number): Promise<number> {
  const startedAt = performance.now();
  const due = Math.round((durationMs / 1000) * changesASecond);
  for (let count = 0; count < due; count += 1) {
    await sleep(Math.max(0, startedAt + (count * 1000) / changesASecond - performance.now()));
    const value = { monitorId: 7, name: "shop", change: "state", status: "down", previousStatus: "up" };
    const event = create(EventSchema, { id: crypto.randomUUID(), atMs: Date.now(), fact: { case: "monitor", value } });
    void bus.js.publish(subjects.event("monitor", 7), toBinary(EventSchema, event));
  }
  return due;
}

async function openStreams(opsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return Number(/^sonde_sse_streams_open (\S+)/m.exec(text)?.[1]);
}
