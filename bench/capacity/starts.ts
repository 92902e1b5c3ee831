import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { type Api, firstAdmin } from "../../e2e/support/api.ts";
import { sizeOf, usageOf } from "../pipeline/usage.ts";
import { startWhole, type WholeSonde } from "../pipeline/whole.ts";
import type { Figure } from "../probe/figures.ts";
import { fillMonitors, rowBytes } from "./fill.ts";
import { memoryOf } from "./memory.ts";

/** Those whose start depends on how many monitors there are. */
const restarted = ["monitors", "probe-runner", "metrics", "gateway", "notifier", "status-page"];
const asked = {
  "the first page of the list": "/api/monitors?page=1&pageSize=50",
  "the same, those whose status changed last first": "/api/monitors?page=1&pageSize=50&sort=-statusSince",
  "the same searched by a word": "/api/monitors?page=1&pageSize=50&search=77",
  "the dashboard": "/api/dashboard",
};
const timesAsked = 10;

/**
 * What there is to do with so many monitors before the first check, and what a list costs. Their interval is a day, so
 * that checks are next to no part of it.
 */
export async function starts(count: number, say: (line: string) => void): Promise<Figure[]> {
  const sonde = await startWhole();
  try {
    const { api } = await firstAdmin(sonde.url);
    await api.send("POST", "/api/monitors", { name: "Monitor 1", url: "http://127.0.0.1:1/", interval: 1440 });
    say(`${count} monitors: rows …`);
    await sonde.stop("probe-runner"); // One that runs would check each at once.
    await fillMonitors(sonde.databaseUrl, count);
    const figures = [await projected(sonde, count, say)];
    for (const name of restarted) {
      say(`${count} monitors: ${name} …`);
      figures.push(await startOf(sonde, count, name));
    }
    figures.push(await disk(sonde, count));
    for (const [what, path] of Object.entries(asked)) figures.push(await answer(sonde, api, { count, what, path }));
    figures.push(await memory(sonde, count));
    return figures;
  } finally {
    await sonde.close();
  }
}

/** Until both buckets hold what PostgreSQL holds, with a `monitors` that was killed before it knew of them. */
async function projected(sonde: WholeSonde, count: number, say: (line: string) => void): Promise<Figure> {
  const bus = await connectBus({ url: sonde.natsUrl, name: "bench", log: silentLog, shrink: 4 });
  const keys = async (bucket: string) => (await bus.jsm.streams.info(`KV_${bucket}`)).state.messages;
  const servers = ["nats", "postgres"];
  const before = await cpuOf(sonde, servers);
  const beganMs = performance.now();
  await sonde.killAndStart("monitors");
  for (let found = 0; found < 2 * count; found = (await keys("monitors")) + (await keys("timelines"))) await sleep(500);
  const seconds = (performance.now() - beganMs) / 1000;
  await bus.close();
  const [spent, own] = [await cpuOf(sonde, servers), await cpuOf(sonde, ["monitors"])];
  const { mostMib } = await memoryOf(sonde.pids().get("monitors") ?? 0);
  say(`${count} monitors: on the bus after ${seconds.toFixed(0)} s`);
  const [nats, postgres] = servers.map((name) => seconds2((spent.get(name) ?? 0) - (before.get(name) ?? 0)));
  return row(
    `${count} monitors from PostgreSQL into empty buckets`,
    `${seconds.toFixed(1)} s; CPU: monitors ${seconds2(own.get("monitors") ?? 0)}, NATS ${nats}, PostgreSQL ${postgres}; monitors ${mostMib.toFixed(0)} MiB`,
  );
}

async function startOf(sonde: WholeSonde, count: number, name: string): Promise<Figure> {
  const before = await cpuOf(sonde, ["nats"]);
  const beganMs = performance.now();
  await sonde.killAndStart(name);
  const seconds = (performance.now() - beganMs) / 1000;
  const cpu = await cpuOf(sonde, [name, "nats"]);
  const { mostMib } = await memoryOf(sonde.pids().get(name) ?? 0);
  const ofNats = seconds2((cpu.get("nats") ?? 0) - (before.get("nats") ?? 0));
  return row(
    `start of ${name} with ${count} monitors, until it is ready`,
    `${seconds.toFixed(1)} s; CPU ${seconds2(cpu.get(name) ?? 0)}, of NATS ${ofNats}; ${mostMib.toFixed(0)} MiB`,
  );
}

async function disk(sonde: WholeSonde, count: number): Promise<Figure> {
  const stream = (bucket: string) => sizeOf(join(sonde.dataDir, "nats/jetstream/$G/streams", `KV_${bucket}`));
  const [monitors, timelines] = [await stream("monitors"), await stream("timelines")];
  const each = (bytes: number) => `${(bytes / count).toFixed(0)} B`;
  const { mostMib } = await memoryOf(sonde.pids().get("nats") ?? 0);
  return row(
    `a monitor on NATS's disk: bucket monitors, timelines; in PostgreSQL; memory of NATS`,
    `${each(monitors)}, ${each(timelines)}; ${each(await rowBytes(sonde.databaseUrl))}; ${mostMib.toFixed(0)} MiB`,
  );
}

/** Once each has opened what it works on. */
async function memory(sonde: WholeSonde, count: number): Promise<Figure> {
  const pids = sonde.pids();
  const each = restarted.map(async (name) => `${name} ${(await memoryOf(pids.get(name) ?? 0)).mostMib.toFixed(0)}`);
  return row(
    `the most memory of each with ${count} monitors, after all this`,
    `${(await Promise.all(each)).join(", ")} MiB`,
  );
}

async function answer(sonde: WholeSonde, api: Api, asked: { count: number; what: string; path: string }) {
  const names = [...sonde.pids().keys()];
  const before = await cpuOf(sonde, names);
  const tookMs: number[] = [];
  for (let n = 0; n < timesAsked; n++) {
    const beganMs = performance.now();
    await api.get(asked.path);
    tookMs.push(performance.now() - beganMs);
  }
  const after = await cpuOf(sonde, names);
  const each = names
    .map((name) => ({ name, ms: ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / timesAsked }))
    .filter(({ ms }) => ms >= 2)
    .map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`);
  const median = tookMs.toSorted((a, b) => a - b)[timesAsked / 2] ?? 0;
  return row(
    `${asked.what} with ${asked.count} monitors`,
    `${median.toFixed(0)} ms; CPU: ${each.join(", ") || "< 2 ms"}`,
  );
}

async function cpuOf(sonde: WholeSonde, names: readonly string[]): Promise<Map<string, number>> {
  const pids = sonde.pids();
  const found = names.map(async (name) => [name, (await usageOf(pids.get(name) ?? 0)).cpuMs] as const);
  return new Map(await Promise.all(found));
}

const seconds2 = (cpuMs: number) => `${(cpuMs / 1000).toFixed(1)} s`;
const row = (what: string, measured: string): Figure => ({ goal: "–", what, wanted: "–", measured, held: false });
