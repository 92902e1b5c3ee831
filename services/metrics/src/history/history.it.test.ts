import { create } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { type MonitorTimeline, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listChecks, listFailedChecks } from "../checks/list.ts";
import type { Context } from "../context.ts";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { dayMs, dayOf, hourMs } from "../rollups/instants.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { noMaintenance, retention, rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, checksOf, failureOf, quantile, randomOf, resultOf } from "../testing/results.ts";
import { createUptimes } from "../uptimes/uptimes.ts";
import { type CheckHistory, monitorHistory } from "./history.ts";

// "Now" is 10:17:30; monitors are checked every minute by default.
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs + 17.5 * 60_000;
const minuteMs = 60_000;
const clock = fakeClock(nowMs);
const timelines = new Map<number, MonitorTimeline>();
let server: TestClickHouse;
let ctx: Context;

beforeAll(async () => {
  server = await startClickHouse();
  ctx = { clock, retention, timelines, maintenance: noMaintenance, read: server.access.read };
});
afterAll(() => server.stop());

async function store(results: readonly CheckResult[]): Promise<void> {
  const writer = createWriter({ clock, isDeleted: () => false });
  for (let first = 0; first < results.length; first += 5_000) {
    const batch = readBatch(batchOf(results.slice(first, first + 5_000)), { nowMs, rawDays: 31 });
    await writer.write(server.clickhouse.writer, [batch]);
  }
}
const roll = () => rollClosedHours(server.clickhouse.writer, nowMs);

function setTimeline(monitorId: number, fromMs: number, intervalMs = minuteMs, locations = ["default"]) {
  const spans = [{ fromMs, intervalMs, locations, active: true }];
  timelines.set(monitorId, create(MonitorTimelineSchema, { monitorId, revision: 1, spans }));
}

const withoutPhases = ({ buckets, ...rest }: CheckHistory) => ({
  ...rest,
  buckets: buckets.map(({ timings: _timings, ...bucket }) => bucket),
});

test("a monitor without checks has every step, all of them empty", async () => {
  for (const [range, count, stepMs] of [
    ["1h", 60, minuteMs],
    ["24h", 288, 5 * minuteMs],
    ["7d", 168, hourMs],
    ["30d", 30, dayMs],
  ] as const) {
    const history = await monitorHistory(ctx, { monitorId: 1, range });
    expect(history.stepMs).toBe(stepMs);
    expect(history.buckets).toHaveLength(count);
    const starts = history.buckets.map((bucket) => bucket.startMs ?? 0);
    expect(starts).toEqual(starts.map((_, index) => (starts[0] ?? 0) + index * stepMs));
    expect(history.buckets.every((bucket) => bucket.checks === undefined && bucket.expected === 0)).toBe(true);
    expect(history.previous).toBeUndefined();
    expect(history.summary).toEqual({ fromMs: starts[0], untilMs: nowMs, expected: 0 });
  }
  expect(await createUptimes(ctx)([1])).toEqual([]);
});

test("24 hours are exact, with due and missed slots", async () => {
  const random = randomOf(5);
  const fromMs = nowMs - 3 * hourMs;
  setTimeline(2, fromMs);
  const all = checksOf(2, fromMs, nowMs - 30_000, (fields) => {
    const responseTimeMs = Math.round(random() * 3_000) / 10;
    return random() < 0.2 ? failureOf({ ...fields, responseTimeMs }) : resultOf({ ...fields, responseTimeMs });
  });
  const seen = all.filter(() => random() < 0.9);
  await store(seen);
  const { buckets } = await monitorHistory(ctx, { monitorId: 2, range: "24h" });
  for (const bucket of buckets) {
    const startMs = bucket.startMs ?? 0;
    const within = (result: CheckResult) => result.slotMs >= startMs && result.slotMs < startMs + 5 * minuteMs;
    const expected = all.filter(within);
    const checks = seen.filter(within);
    expect(bucket.expected).toBe(expected.length);
    expect(bucket.checks ?? 0).toBe(checks.length);
    if (checks.length === 0) continue;
    const times = checks.map((result) => result.responseTimeMs);
    expect(bucket.up).toBe(checks.filter((result) => result.status === "up").length);
    expect(bucket.avgMs).toBeCloseTo(times.reduce((sum, time) => sum + time, 0) / times.length, 6);
    expect(bucket.p50Ms).toBeCloseTo(quantile(times, 0.5), 6);
    expect(bucket.p95Ms).toBeCloseTo(quantile(times, 0.95), 6);
    expect(bucket.maxMs).toBe(Math.max(...times));
    expect(bucket.lastCheckedAtMs).toBe(checks.at(-1)?.startedAtMs);
    expect(bucket.error).toBe(checks.some((result) => result.status === "down") ? "Expected 200, got 503" : undefined);
  }
});

test("a step reports its newest failure", async () => {
  const stepMs = Math.floor(nowMs / (5 * minuteMs)) * 5 * minuteMs - 5 * minuteMs;
  await store([
    failureOf({ monitorId: 3, slotMs: stepMs + 60_000, message: "older" }),
    failureOf({ monitorId: 3, slotMs: stepMs + 120_000, message: "newer" }),
    resultOf({ monitorId: 3, slotMs: stepMs + 180_000 }),
  ]);
  for (const range of ["24h", "30d"] as const) {
    const { buckets } = await monitorHistory(ctx, { monitorId: 3, range });
    expect(buckets.flatMap(({ error }) => error ?? [])).toEqual(["newer"]);
  }
});

test("30 days are the same before, during and after rollup, and with late rows", async () => {
  const fromMs = dayOf(nowMs) - 2 * dayMs + 5 * hourMs;
  setTimeline(4, fromMs, minuteMs, ["east", "west"]);
  const everywhere = ["east", "west"].flatMap((location) =>
    checksOf(4, fromMs, nowMs - minuteMs, (fields) =>
      fields.slotMs % (37 * minuteMs) < minuteMs
        ? failureOf({ ...fields, location, responseTimeMs: 900 })
        : resultOf({ ...fields, location, responseTimeMs: 100 + (fields.slotMs % 50) }),
    ),
  );
  const [late, early] = [everywhere.slice(0, 400), everywhere.slice(400)];
  const read = () => monitorHistory(ctx, { monitorId: 4, range: "30d" });
  await store(early);
  await roll();
  expect(await rowsOf(server.clickhouse, "SELECT count() > 0 AS rolled FROM check_days WHERE monitor_id = 4")).toEqual([
    { rolled: 1 },
  ]);
  await store(late);
  const mixed = await read();
  const mixedUptime = await createUptimes(ctx)([4]);
  await roll();
  const rolled = await read();
  expect(withoutPhases(rolled)).toEqual(withoutPhases(mixed));
  // Hours and days store phase means with a resolution of 8 %.
  for (const { timings } of rolled.buckets.filter(({ checks }) => checks !== undefined)) {
    for (const [phase, exact] of Object.entries({ dnsMs: 1.2, connectMs: 3.4, tlsMs: 5.6, firstByteMs: 20.1 })) {
      const actual = timings?.[phase as "dnsMs"] ?? 0;
      expect(actual / exact).toBeGreaterThan(1 / 1.08);
      expect(actual / exact).toBeLessThan(1.08);
    }
  }
  expect(await createUptimes(ctx)([4])).toEqual(mixedUptime);

  const day = mixed.buckets.at(-2);
  const within = everywhere.filter((result) => dayOf(result.slotMs) === day?.startMs);
  expect(day).toMatchObject({
    checks: within.length,
    expected: within.length,
    maxMs: 900,
    error: "Expected 200, got 503",
  });
  expect(day?.up).toBe(within.filter((result) => result.status === "up").length);
  expect(day?.avgMs).toBeCloseTo(
    within.reduce((sum, { responseTimeMs }) => sum + responseTimeMs, 0) / within.length,
    6,
  );
  expect(day?.p50Ms).toBeGreaterThan(100);
  expect(day?.p50Ms).toBeLessThan(150 * 1.08);
  expect(mixed.buckets.filter((bucket) => (bucket.checks ?? 0) > 0)).toHaveLength(3);
  const up = everywhere.filter((result) => result.status === "up").length;
  expect(mixedUptime[0]?.d30).toBeCloseTo((100 * up) / everywhere.length, 9);
});

test("a step is never shorter than the interval", async () => {
  const intervalMs = 60 * minuteMs;
  setTimeline(5, nowMs - 30 * dayMs, intervalMs);
  await store(checksOf(5, nowMs - 25 * hourMs, nowMs - minuteMs, resultOf, intervalMs));
  const { stepMs, buckets } = await monitorHistory(ctx, { monitorId: 5, range: "24h" });
  expect(stepMs).toBe(intervalMs);
  expect(buckets).toHaveLength(24);
  expect(buckets.slice(0, -1).every((bucket) => bucket.checks === 1 && bucket.expected === 1)).toBe(true);
});

test("uptime is up slots / seen slots, for each requested monitor or for all combined", async () => {
  await startOver();
  const good = checksOf(10, nowMs - 20 * hourMs, nowMs - minuteMs);
  const bad = checksOf(11, nowMs - 20 * hourMs, nowMs - minuteMs, failureOf);
  const old = checksOf(12, nowMs - 5 * dayMs, nowMs - 4 * dayMs, (fields) =>
    fields.slotMs % (4 * minuteMs) < minuteMs ? failureOf(fields) : resultOf(fields),
  );
  await store([...good, ...bad, ...old, failureOf({ monitorId: 10, slotMs: nowMs - 1_000, manual: true })]);
  for (const when of ["before", "after"]) {
    const uptimes = await createUptimes(ctx)([12, 11, 10, 99, 10]);
    expect(
      uptimes.toSorted((left, right) => Number(left.monitorId) - Number(right.monitorId)),
      when,
    ).toEqual([
      { monitorId: 10, h24: 100, d30: 100 },
      { monitorId: 11, h24: 0, d30: 0 },
      { monitorId: 12, d30: 75 },
    ]);
    const seen = good.length + bad.length + old.length;
    const up = good.length + old.length * 0.75;
    const [overall] = await createUptimes(ctx)([]);
    expect(overall?.monitorId).toBe(0);
    expect(overall?.h24).toBeCloseTo((100 * good.length) / (good.length + bad.length), 9);
    expect(overall?.d30).toBeCloseTo((100 * up) / seen, 9);
    await roll();
  }
});

async function startOver(): Promise<void> {
  for (const table of ["checks", "check_hours", "check_days", "touched_hours"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
}

test("results are listed newest first, including manual ones, page by page into the past", async () => {
  const results = [
    ...checksOf(20, nowMs - 9 * dayMs, nowMs - 9 * dayMs + 10 * minuteMs),
    ...checksOf(20, nowMs - 10 * minuteMs, nowMs),
    failureOf({ monitorId: 20, slotMs: nowMs - 500, manual: true }),
  ];
  await store(results);
  const newestFirst = results.map(({ slotMs }) => slotMs).toSorted((left, right) => right - left);
  const pages: number[] = [];
  for (let beforeMs: number | undefined; pages.length < results.length; beforeMs = pages.at(-1)) {
    const page = await listChecks(ctx, { monitorId: 20, beforeMs, limit: 4 });
    expect(page.length).toBeGreaterThan(0);
    pages.push(...page.map(({ slotMs }) => slotMs));
  }
  expect(pages).toEqual(newestFirst);
  expect(await listChecks(ctx, { monitorId: 20, beforeMs: pages.at(-1), limit: 4 })).toEqual([]);
  expect((await listChecks(ctx, { monitorId: 20, limit: 1 }))[0]).toMatchObject({ manual: true, status: "down" });
});

test("results are listed from an instant on, for all checks and for failures", async () => {
  const at = (minutes: number) => nowMs - minutes * minuteMs;
  await store([30, 20, 10, 5].map((minutes) => failureOf({ monitorId: 22, slotMs: at(minutes) })));
  for (const list of [listChecks, listFailedChecks]) {
    const page = await list(ctx, { monitorId: 22, fromMs: at(20), beforeMs: at(5), limit: 10 });
    expect(page.map(({ slotMs }) => slotMs)).toEqual([at(10), at(20)]);
  }
});

test("results of one slot at several locations are not split between pages", async () => {
  const slots = [3, 2, 1].map((minutes) => nowMs - minutes * minuteMs);
  const locations = ["asia", "east", "west"];
  await store(slots.flatMap((slotMs) => locations.map((location) => resultOf({ monitorId: 21, slotMs, location }))));
  const first = await listChecks(ctx, { monitorId: 21, limit: 4 });
  const second = await listChecks(ctx, { monitorId: 21, beforeMs: first.at(-1)?.slotMs, limit: 4 });
  expect([...first, ...second].map(({ slotMs, location }) => [slotMs, location])).toEqual(
    slots.toReversed().flatMap((slotMs) => locations.map((location) => [slotMs, location])),
  );
});
