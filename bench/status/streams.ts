import type { FakeSystem } from "@sonde/gateway/testing/fake-system";
import { statesKey } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { answerOf, startClient, type Watched } from "../gateway/processes.ts";
import { shareOfCore } from "../gateway/streams.ts";
import { type Figure, ms, percent, percentile } from "../probe/figures.ts";
import { statesOf } from "./snapshot.ts";

const streams = 1000;
const changesASecond = 50;
/** Of the states that were put last. */
let revision = 0;

/** P8 on the public page: how late each of many readers hears of a change of state in the bucket, and what that costs. */
export async function publicStreams(
  gateway: Watched,
  system: FakeSystem,
  services: number,
  measureMs: number,
): Promise<Figure[]> {
  const readers = startClient("../status/readers.ts", gateway.port, streams);
  while ((await openStreams(gateway.opsPort)) < streams) await sleep(100);
  const received = async () => {
    await sleep(1000);
    readers.send("latencies");
    return ((await answerOf(readers)) as { latenciesMs: number[] }).latenciesMs;
  };
  // Streams stay open for hours: what compiling costs in their first seconds is not what they cost.
  await publish(system, services, measureMs / 2);
  await received();
  let published = 0;
  const share = await shareOfCore(gateway, async () => (published = await publish(system, services, measureMs)));
  const latenciesMs = await received();
  readers.disconnect();
  const sorted = Float64Array.from(latenciesMs);
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  const what = `${streams} public streams, ${changesASecond} changes a second`;
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

/** Each change is a service that falls, or one that is well again half a second later; answers how many fell. */
async function publish({ bus }: FakeSystem, services: number, durationMs: number): Promise<number> {
  const kv = await bus.kv(buckets.status);
  const startedAt = performance.now();
  const due = Math.round((durationMs / 1000) * changesASecond);
  const fallen = new Map<number, number>();
  let falls = 0;
  for (let count = 0; count < due; count += 1) {
    await sleep(Math.max(0, startedAt + (count * 1000) / changesASecond - performance.now()));
    const nowMs = Date.now();
    const [longest] = fallen.keys();
    if (longest !== undefined && fallen.size > changesASecond / 4) fallen.delete(longest);
    else fallen.set((falls++ % services) + 1, nowMs);
    revision = Math.max(revision + 1, nowMs);
    const states = statesOf(services, nowMs, revision, fallen);
    void kv.put(statesKey("default"), gzipSync(JSON.stringify(states)));
  }
  return falls;
}

async function openStreams(opsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return [...text.matchAll(/^sonde_sse_streams_open\S* (\S+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}
