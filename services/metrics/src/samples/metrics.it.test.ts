import { readFile } from "node:fs/promises";
import { fakeClock } from "@sonde/kit/time/clock";
import type { AgentSample } from "@sonde/proto/gen/agents/v1/samples";
import type { MetricSeries } from "@sonde/proto/rpc/metrics";
import type { MetricsRange } from "@sonde/proto/http/agents/agents";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours, rollClosedHours } from "../rollups/roll.ts";
import { noMaintenance, retention, rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { randomOf } from "../testing/results.ts";
import { type SampleFields, sampleBatchOf, sampleOf } from "../testing/samples.ts";
import { readSamples } from "./row.ts";
import { agentMetrics, maxNames, metricSteps } from "./metrics.ts";
import { sampleRollups, createSampleWriter } from "./store.ts";

const minuteMs = 60_000;
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs + 17.5 * minuteMs;
let clock: ReturnType<typeof fakeClock>;
let writer: ReturnType<typeof createSampleWriter>;
let server: TestClickHouse;
let ctx: Context;

beforeAll(async () => {
  server = await startClickHouse();
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ["samples", "sample_hours", "touched_sample_hours"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
  clock = fakeClock(nowMs);
  writer = createSampleWriter({ clock, isDeleted: () => false });
  ctx = {
    clock,
    retention,
    timelines: { get: () => undefined },
    maintenance: noMaintenance,
    read: server.access.read,
  };
});

async function store(samples: readonly AgentSample[]): Promise<void> {
  for (let first = 0; first < samples.length; first += 5_000) {
    const bytes = sampleBatchOf(samples.slice(first, first + 5_000));
    const batch = readSamples(bytes, { nowMs: clock.now(), rawDays: 31 });
    expect(batch.problem).toBe(null);
    await writer.write(server.clickhouse.writer, [batch]);
  }
}
const roll = async () => {
  const rolled = await rollClosedHours(server.clickhouse.writer, clock.now(), sampleRollups);
  writer.forget();
  return rolled;
};
const read = (agentId: number, range: MetricsRange) => agentMetrics(ctx, { agentId, range });

type Point = { avg: number; max: number };
const pointsOf = (series: MetricSeries | undefined) => {
  const { steps = [], avg = [], max = [] } = series ?? {};
  const points = new Map(steps.map((step, index): [number, Point] => [step, { avg: avg[index]!, max: max[index]! }]));
  expect([avg.length, max.length, points.size]).toEqual([steps.length, steps.length, steps.length]);
  return points;
};

function expected(
  samples: readonly AgentSample[],
  range: MetricsRange,
  valueOf: (sample: AgentSample) => number | undefined,
) {
  const { fromMs, stepMs, count } = metricSteps(range, nowMs);
  const at = ({ sample }: AgentSample) => Number(sample!.at!.seconds) * 1000 + sample!.at!.nanos / 1e6;
  const steps = Map.groupBy(samples, (sample) => Math.floor((at(sample) - fromMs) / stepMs));
  return new Map(
    [...steps].flatMap(([step, parts]): [number, Point][] => {
      const values = parts.map(valueOf).filter((value) => value !== undefined);
      if (step < 0 || step >= count || values.length === 0) return [];
      return [[step, { avg: values.reduce((sum, value) => sum + value, 0) / values.length, max: Math.max(...values) }]];
    }),
  );
}

function matches(series: MetricSeries | undefined, expectedPoints: Map<number, Point>): void {
  const points = pointsOf(series);
  expect([...points.keys()].toSorted((a, b) => a - b)).toEqual([...expectedPoints.keys()].toSorted((a, b) => a - b));
  for (const [step, { avg, max }] of expectedPoints) {
    expect(points.get(step)?.avg).toBeCloseTo(avg, 6);
    expect(points.get(step)?.max).toBeCloseTo(max, 6);
  }
}

/** One sample every `everyMs` in [from, to), some of them left out. */
function traffic(agentId: number, fromMs: number, toMs: number, everyMs: number, seed = 3): AgentSample[] {
  const random = randomOf(seed);
  const hundredths = (max: number) => Math.round(random() * max * 100) / 100;
  const samples: AgentSample[] = [];
  for (let atMs = fromMs + 777, sequence = 0; atMs < toMs; atMs += everyMs, sequence++) {
    const fields: SampleFields = {
      agentId,
      atMs: atMs + Math.floor(random() * 500),
      bootId: `boot-${Math.floor(atMs / (7 * hourMs))}`,
      sequence,
      cpu: random() < 0.05 ? null : hundredths(100),
      memory: hundredths(100),
      load: [hundredths(9), hundredths(5), hundredths(3)],
      disks: { "/": hundredths(100), ...(random() < 0.5 ? { "/data": hundredths(100) } : {}) },
      network: { eth0: random() < 0.1 ? [null, null] : [Math.floor(random() * 1e9), Math.floor(random() * 1e6)] },
    };
    if (random() < 0.9) samples.push(sampleOf(fields));
  }
  return samples;
}

const disk = (name: string) => (sample: AgentSample) =>
  sample.sample!.disks.find(({ mountPoint }) => mountPoint === name)?.usage;

async function matchesAll(samples: readonly AgentSample[], agentId: number, range: MetricsRange): Promise<void> {
  const answer = await read(agentId, range);
  const want = (valueOf: (sample: AgentSample) => number | undefined) => expected(samples, range, valueOf);
  matches(
    answer.cpu,
    want(({ sample }) => sample!.cpu?.usage),
  );
  matches(
    answer.memory,
    want(({ sample }) => sample!.memory?.usage),
  );
  matches(
    answer.loadOne,
    want(({ sample }) => sample!.load?.one),
  );
  matches(
    answer.loadFive,
    want(({ sample }) => sample!.load?.five),
  );
  matches(
    answer.loadFifteen,
    want(({ sample }) => sample!.load?.fifteen),
  );
  expect(answer.disks.map(({ mountPoint }) => mountPoint)).toEqual(["/", "/data"]);
  for (const { mountPoint, usage, inodes } of answer.disks) {
    matches(usage, want(disk(mountPoint)));
    // The test's disks use equal shares of inodes and space.
    matches(inodes, want(disk(mountPoint)));
  }
  expect(answer.network.map((one) => one.interface)).toEqual(["eth0"]);
  matches(
    answer.network[0]?.receiveRate,
    want(({ sample }) => sample!.network[0]?.receiveRate),
  );
  matches(
    answer.network[0]?.sendRate,
    want(({ sample }) => sample!.network[0]?.sendRate),
  );
}

test.each([
  ["1h", 60_000, 60],
  ["24h", 300_000, 288],
  ["30d", 3_600_000, 720],
] as const)(
  "%s of an agent without samples has the step count, but no values or names",
  async (range, stepMs, count) => {
    const answer = await read(1, range);
    expect(answer).toMatchObject({ stepMs, stepCount: count, disks: [], network: [] });
    expect(answer.fromMs + count * stepMs).toBeGreaterThan(nowMs);
    expect(answer.fromMs + (count - 1) * stepMs).toBeLessThanOrEqual(nowMs);
    expect(pointsOf(answer.cpu).size + pointsOf(answer.memory).size + pointsOf(answer.loadFifteen).size).toBe(0);
  },
);

test("an hour and a day are exact, step by step, and gaps are not interpolated", async () => {
  const samples = traffic(1, nowMs - 26 * hourMs, nowMs, 20_000).filter(({ sample }) => {
    const minutesAgo = (nowMs - Number(sample!.at!.seconds) * 1000) / minuteMs;
    return minutesAgo < 20 || minutesAgo > 33;
  });
  await store([...samples, ...traffic(2, nowMs - hourMs, nowMs, 10_000, 9)]);
  await matchesAll(samples, 1, "1h");
  await matchesAll(samples, 1, "24h");
  expect(pointsOf((await read(1, "1h")).cpu).size).toBeLessThanOrEqual(48);
});

test("30 days are the same before, during and after rollup, and with late samples", async () => {
  const samples = traffic(1, nowMs - 3 * dayMs, nowMs, 5 * minuteMs);
  const late = samples.filter((_, index) => index % 7 === 0);
  const early = samples.filter((_, index) => index % 7 !== 0);
  await store(early);
  await matchesAll(early, 1, "30d");
  await roll();
  expect(await selectTouchedHours(server.clickhouse.reader, 0, "touched_sample_hours")).toEqual([hourOf(nowMs)]);
  await matchesAll(early, 1, "30d");
  await store(late);
  await matchesAll(samples, 1, "30d");
  expect(await roll()).toBeGreaterThan(60);
  await matchesAll(samples, 1, "30d");
  // Deleting the samples of closed hours must not change results, which come from rollups.
  await server.clickhouse.writer.command({
    query: `DELETE FROM samples WHERE at < fromUnixTimestamp64Milli({hour:Int64}, 'UTC')`,
    query_params: { hour: hourOf(nowMs) },
  });
  await matchesAll(samples, 1, "30d");
});

test("figures equal the samples, although every batch arrives three times, in other blocks, late and out of order", async () => {
  const startMs = nowMs - 30 * hourMs;
  const samples = [1, 2].flatMap((agentId) => traffic(agentId, startMs, nowMs, 90_000, agentId));
  const random = randomOf(11);
  const deliveries = [83, 211, 467].flatMap((size) =>
    Array.from({ length: Math.ceil(samples.length / size) }, (_, index) => ({
      order: index * size + random() * samples.length * 0.4,
      batch: samples.slice(index * size, (index + 1) * size),
    })),
  );
  deliveries.sort((left, right) => left.order - right.order);
  clock = fakeClock(startMs);
  writer = createSampleWriter({ clock, isDeleted: () => false });
  for (const [index, { batch }] of deliveries.entries()) {
    const bytes = sampleBatchOf(batch);
    await writer.write(server.clickhouse.writer, [readSamples(bytes, { nowMs, rawDays: 30 })]);
    // Time advances: hours are closed and rolled up before all of their samples have arrived.
    if (index % 15 === 0) {
      clock.advance(5 * hourMs);
      await roll();
    }
  }
  clock.advance(2 * dayMs);
  await roll();
  const [counts] = await rowsOf<{ cpu: number; memory: number }>(
    server.clickhouse,
    `SELECT toFloat64(sumIf(count, metric = 'cpu')) AS cpu, toFloat64(sumIf(count, metric = 'memory')) AS memory
     FROM sample_hours FINAL`,
  );
  const known = samples.filter(({ sample }) => sample!.cpu?.usage !== undefined);
  expect(counts).toEqual({ cpu: known.length, memory: samples.length });
  for (const agentId of [1, 2]) {
    const own = samples.filter((sample) => sample.agentId === agentId);
    await matchesAll(own, agentId, "24h");
    await matchesAll(own, agentId, "30d");
  }
});

test("a sample sent again with a newly measured clock counts once, as first received", async () => {
  const atMs = hourOf(nowMs) - 500;
  const first = sampleOf({ agentId: 1, atMs, bootId: "b", sequence: 1, cpu: 10, receivedAtMs: nowMs });
  const again = sampleOf({
    agentId: 1,
    atMs: atMs + 800,
    bootId: "b",
    sequence: 1,
    cpu: 10,
    receivedAtMs: nowMs + 5_000,
  });
  for (const order of [
    [first, again],
    [again, first],
  ]) {
    await server.clickhouse.writer.command({ query: "TRUNCATE TABLE samples" });
    for (const sample of order) await store([sample]);
    const { cpu } = await read(1, "24h");
    expect(cpu?.steps).toHaveLength(1);
    matches(
      cpu,
      expected([first], "24h", () => 10),
    );
  }
});

test("samples without boot and sequence are distinguished by their instants", async () => {
  const atMs = nowMs - minuteMs;
  const samples = [0, 1, 2].map((offset) => sampleOf({ agentId: 1, atMs: atMs + offset, cpu: 30 * offset }));
  for (let round = 0; round < 2; round++) await store(samples);
  const { cpu } = await read(1, "1h");
  expect([cpu?.avg, cpu?.max]).toEqual([[30], [60]]);
});

test("of many mount points and interfaces those with most values are returned, the same over every range", async () => {
  const names = Array.from({ length: 70 }, (_, index) => `/mnt/${String(index).padStart(2, "0")}`);
  const samples = Array.from({ length: 90 }, (_, index) => {
    const some = names.slice(0, index === 89 ? 70 : 25);
    return sampleOf({
      agentId: 1,
      atMs: nowMs - index * 30_000,
      disks: Object.fromEntries(some.map((name, at) => [name, at])),
      network: Object.fromEntries(some.map((name, at) => [name, [at, null]])),
    });
  });
  await store(samples);
  for (const range of ["1h", "24h", "30d"] as const) {
    const answer = await read(1, range);
    expect(answer.disks.map(({ mountPoint }) => mountPoint)).toEqual(names.slice(0, maxNames));
    expect(answer.network.map((one) => one.interface)).toEqual(names.slice(0, maxNames));
    expect(pointsOf(answer.network[0]?.sendRate).size).toBe(0);
  }
  clock.advance(2 * hourMs);
  await roll();
  expect((await read(1, "30d")).disks.map(({ mountPoint }) => mountPoint)).toEqual(names.slice(0, maxNames));
});

const hostile = [
  "__proto__",
  "'; DROP TABLE samples; --",
  "{agentId:UInt32}",
  "\\'\" \n\t;\n",
  "\u0000",
  "😀",
  "constructor",
];

test("names are never interpreted as SQL or properties, raw and rolled up", async () => {
  const samples = [0, 3].map((hours) =>
    sampleOf({
      agentId: 1,
      atMs: nowMs - hours * hourMs,
      disks: Object.fromEntries(hostile.map((name) => [name, 25])),
      network: Object.fromEntries(hostile.map((name) => [name, [7, 8]])),
    }),
  );
  await store(samples);
  await roll();
  for (const [range, points] of [
    ["24h", 2],
    ["30d", 2],
  ] as const) {
    const answer = await read(1, range);
    expect(answer.disks.map(({ mountPoint }) => mountPoint)).toEqual(hostile.toSorted());
    expect(answer.network.map((one) => one.interface)).toEqual(hostile.toSorted());
    for (const { usage } of answer.disks) {
      expect([...pointsOf(usage).values()]).toEqual(Array(points).fill({ avg: 25, max: 25 }));
    }
  }
});

test("samples stored before inodes existed have none, but all other figures", async () => {
  const client = server.clickhouse.writer;
  const bytes = sampleBatchOf([sampleOf({ agentId: 990, atMs: nowMs })]);
  await writer.write(client, [readSamples(bytes, { nowMs, rawDays: 30 })]);
  await client.command({ query: "ALTER TABLE samples DROP COLUMN disk_inodes" });
  const migration = new URL("../../migrations/009_disk_inodes.sql", import.meta.url);
  await client.command({ query: (await readFile(migration, "utf8")).replace(/;\s*$/, "") });
  const { disks } = await read(990, "1h");
  expect(disks).toMatchObject([{ mountPoint: "/", usage: { avg: [40] }, inodes: { steps: [] } }]);
});
