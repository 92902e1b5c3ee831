import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus, publishFact } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { silentLog } from "@sonde/kit/service/log";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, firstAdmin } from "@sonde/testing/api";
import { usageOf } from "../pipeline/usage.ts";
import { startWhole, type WholeSonde } from "@sonde/testing/whole";
import { type Figure, ms, percent, percentile } from "@sonde/testing/figures";

const mostInDocument = 1_000;
const pageSize = 200;
/** Of those that miss: a minute from one success to the next, and no grace. */
const periodMs = 60_000;
const spreadMs = 50;

/**
 * A whole Sonde with so many heartbeats that wait, of which some are not called again.
 * @param quiet how many miss
 */
export async function missedFigures({
  heartbeats,
  quiet,
  idleMs,
}: {
  heartbeats: number;
  quiet: number;
  idleMs: number;
}): Promise<Figure[]> {
  const sonde = await startWhole({ environment: { MONITOR_MIN_INTERVAL_SECONDS: "1" } });
  const bus = await connectBus({ url: sonde.natsUrl, name: "bench", log: silentLog });
  try {
    const { api } = await firstAdmin(sonde.url);
    const idleBefore = await idleShare(sonde, idleMs);
    for (let at = 0; at < heartbeats; at += mostInDocument) {
      await apply(api, `waits-${at}`, Math.min(mostInDocument, heartbeats - at), { every: 1_440 });
    }
    await apply(api, "misses", quiet, { every: 1, grace: 0, tags: ["quiet"] });
    const misses = await idsOf(api, "&tag=quiet");
    const waits = (await idsOf(api, "")).filter((id) => !misses.includes(id));
    await callAll(bus, waits);
    await sleep(20_000);
    const idle = await idleShare(sonde, idleMs);
    const lates = await lateness(bus, misses);
    const worst = lates.length === quiet ? Math.max(...lates) : Number.POSITIVE_INFINITY;
    const what = `of ${heartbeats + quiet} heartbeats ${quiet} are not called again: from the deadline until it is down`;
    return [
      {
        goal: "H5",
        what,
        wanted: "≤ 2 s",
        measured: `p50 ${ms(percentile(Float64Array.from(lates), 0.5))}, at most ${ms(worst)}`,
        held: worst <= 2_000,
      },
      {
        goal: "H6",
        what: "monitors while all of them wait, share of a core, more than without heartbeats",
        wanted: "≤ 1 %",
        measured: `${percent(idle - idleBefore)} (${percent(idle)} and ${percent(idleBefore)})`,
        held: idle - idleBefore <= 1,
      },
    ];
  } finally {
    await bus.close();
    await sonde.close();
  }
}

async function apply(api: Api, source: string, count: number, fields: object): Promise<void> {
  const entries = Array.from({ length: count }, (_, at) => [`${source}-${at}`, { type: "heartbeat", ...fields }]);
  await api.send("POST", "/api/apply", { source, config: { monitors: Object.fromEntries(entries) } });
}

async function idsOf(api: Api, filter: string): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/api/monitors?compact=true&sort=createdAt&page=${page}&pageSize=${pageSize}${filter}`;
    const { monitors, total } = await api.get<{ monitors: { id: number }[]; total: number }>(path);
    ids.push(...monitors.map(({ id }) => id));
    if (ids.length >= total || monitors.length === 0) return ids;
  }
}

/** Stores a success of each, as a gateway does. */
async function callAll(bus: Bus, ids: readonly number[]): Promise<void> {
  const byPartition = Map.groupBy(ids, partitionOf);
  for (const [partition, own] of byPartition) {
    for (let at = 0; at < own.length; at += 1_000) {
      const pings = own
        .slice(at, at + 1_000)
        .map((monitorId) => ({ id: randomUUID(), monitorId, type: "success", from: "192.0.2.1" }));
      await publishFact(bus, subjects.pings(partition), toBinary(PingBatchSchema, create(PingBatchSchema, { pings })));
    }
  }
}

/** Calls each once, and answers how long after its deadline each was said to be down, by the clock of the bus. */
async function lateness(bus: Bus, ids: readonly number[]): Promise<number[]> {
  const deadlines = new Map<number, number>();
  const lates = new Map<number, number>();
  const following = followStream(bus, {
    stream: streams.events.name,
    from: "new",
    onMessage: ({ data, storedAtMs }) => {
      const { fact } = fromBinary(EventSchema, data);
      if (fact.case !== "monitor" || fact.value.status !== "down") return;
      const { monitorId } = fact.value;
      const deadlineMs = deadlines.get(monitorId);
      if (deadlineMs !== undefined && !lates.has(monitorId)) lates.set(monitorId, storedAtMs - deadlineMs);
    },
  });
  for (const id of ids) {
    await callAll(bus, [id]);
    deadlines.set(id, Date.now() + periodMs);
    await sleep(spreadMs);
  }
  const untilMs = Date.now() + periodMs + 15_000;
  while (lates.size < ids.length && Date.now() < untilMs) await sleep(500);
  await following.stop();
  return [...lates.values()];
}

/** In percent. */
async function idleShare(sonde: WholeSonde, forMs: number): Promise<number> {
  const cpuMs = async () => (await usageOf(sonde.pids().get("monitors")!)).cpuMs;
  const before = await cpuMs();
  await sleep(forMs);
  return (((await cpuMs()) - before) / forMs) * 100;
}
