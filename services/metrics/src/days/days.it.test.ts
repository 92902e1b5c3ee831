import { create } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { slotAfter } from "@sonde/kit/time/slots";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { type MonitorTimeline, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { noMaintenance, retention, rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, randomOf, resultOf } from "../testing/results.ts";
import { createUptimes } from "../uptimes/uptimes.ts";
import { monitorDays } from "./monitor-days.ts";
import { monitorSparklines } from "./sparklines.ts";

const minuteMs = 60_000;
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs + 17.5 * minuteMs;
const today = dayOf(nowMs) / dayMs;
const clock = fakeClock(nowMs);
const timelines = new Map<number, MonitorTimeline>();
let server: TestClickHouse;
let ctx: Context;

beforeAll(async () => {
  server = await startClickHouse();
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ["checks", "check_hours", "check_days", "touched_hours"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
  timelines.clear();
  ctx = { clock, retention, timelines, maintenance: noMaintenance, read: server.access.read };
});

async function store(results: readonly CheckResult[]): Promise<void> {
  const writer = createWriter({ clock, isDeleted: () => false });
  for (let first = 0; first < results.length; first += 5_000) {
    const batch = readBatch(batchOf(results.slice(first, first + 5_000)), { nowMs, rawDays: 31 });
    await writer.write(server.clickhouse.writer, [batch]);
  }
}
const roll = () => rollClosedHours(server.clickhouse.writer, nowMs);

function setTimeline(monitorId: number, fromMs: number, intervalMs = minuteMs): void {
  const spans = [{ fromMs, intervalMs, locations: ["default"], active: true }];
  timelines.set(monitorId, create(MonitorTimelineSchema, { monitorId, revision: 1, spans }));
}

/** One check per slot in [from, to); some fail and some do not run. */
function traffic(monitorId: number, fromMs: number, toMs: number): CheckResult[] {
  const random = randomOf(monitorId);
  const results: CheckResult[] = [];
  for (let slotMs = slotAfter(monitorId, minuteMs, fromMs - 1); slotMs < toMs; slotMs += minuteMs) {
    const fields = { monitorId, slotMs, responseTimeMs: Math.round(random() * 5_000) / 10 };
    const kind = random();
    if (kind < 0.9) results.push(kind < 0.05 ? failureOf(fields) : resultOf(fields));
  }
  return results;
}

const countOn = (results: readonly CheckResult[], day: number) =>
  results.filter(({ slotMs }) => dayOf(slotMs) === day * dayMs).length;
const ask = (monitorIds: number[], dayCount = 30) =>
  monitorDays(ctx, { monitorIds, firstDay: today - dayCount + 1, dayCount });

test("days report what was seen and up, rolled up, partly rolled up or raw, and add up to the uptime", async () => {
  const fromMs = dayOf(nowMs) - 3 * dayMs + 5 * hourMs;
  setTimeline(1, fromMs);
  setTimeline(2, fromMs + dayMs);
  const first = traffic(1, fromMs, nowMs - minuteMs);
  const second = traffic(2, fromMs + dayMs, nowMs - minuteMs);
  await store(first.slice(500));
  await roll();
  expect(await rowsOf(server.clickhouse, "SELECT count() > 0 AS rolled FROM check_days")).toEqual([{ rolled: 1 }]);
  // Late rows make hours and their days raw again.
  await store([...first.slice(0, 500), ...second]);
  const mixed = await ask([2, 1, 99]);
  expect(mixed.map(({ targetId }) => targetId)).toEqual([2, 1]);
  for (const [results, days] of [
    [second, mixed[0]],
    [first, mixed[1]],
  ] as const) {
    expect(days?.seen).toHaveLength(30);
    for (let index = 0; index < 30; index++) {
      const day = today - 29 + index;
      expect(days?.seen?.[index]).toBe(countOn(results, day));
      expect(days?.up?.[index]).toBe(
        countOn(
          results.filter(({ status }) => status === "up"),
          day,
        ),
      );
    }
    const sum = (values: readonly number[] = []) => values.reduce((total, value) => total + value, 0);
    const [uptime] = await createUptimes(ctx)([days?.targetId ?? 0]);
    expect(uptime?.d30).toBeCloseTo((100 * sum(days?.up)) / sum(days?.seen), 9);
  }
  expect(mixed[1]?.expected?.slice(-4)).toEqual([19 * 60, 1440, 1440, 10 * 60 + 17]);
  expect(mixed[1]?.monitoredMinutes?.slice(-5)).toEqual([0, 19 * 60, 1440, 1440, 10 * 60 + 17]);
  await roll();
  expect(await ask([2, 1])).toEqual(mixed);
});

test("a range of days equals the same part of a longer range", async () => {
  setTimeline(3, nowMs - 3 * dayMs);
  await store(traffic(3, nowMs - 3 * dayMs, nowMs - minuteMs));
  const [all] = await ask([3], 5);
  for (const when of ["raw", "rolled"]) {
    const [present] = await ask([3], 1);
    const [yesterday] = await monitorDays(ctx, { monitorIds: [3], firstDay: today - 1, dayCount: 1 });
    for (const name of ["expected", "seen", "up", "monitoredMinutes"] as const) {
      expect(present?.[name], when).toEqual(all?.[name]?.slice(-1));
      expect(yesterday?.[name], when).toEqual(all?.[name]?.slice(-2, -1));
    }
    await roll();
  }
});

test("a seen slot counts as due, and expired days are empty", async () => {
  // A monitor's first slot is just before its span.
  setTimeline(4, nowMs - minuteMs);
  await store([resultOf({ monitorId: 4, slotMs: nowMs - 2 * minuteMs }), resultOf({ monitorId: 4, slotMs: nowMs })]);
  expect((await ask([4], 1))[0]).toMatchObject({ seen: [2], expected: [2] });
  setTimeline(5, nowMs - 90 * dayMs);
  ctx = { ...ctx, retention: { rawDays: 30, rollupDays: 31 } };
  const [kept] = await ask([5], 90);
  expect(kept?.expected?.slice(0, -31)).toEqual(Array.from({ length: 59 }, () => 0));
  expect(kept?.monitoredMinutes?.slice(-31)[0]).toBe(1440);
});

test("more than 500 monitors, more than 100 days and invalid days are rejected; no monitors give no days", async () => {
  const refused = { code: "invalid" };
  await expect(ask(Array.from({ length: 501 }, (_, index) => index + 1))).rejects.toMatchObject(refused);
  await expect(ask([1], 101)).rejects.toMatchObject(refused);
  await expect(ask([1], 0)).rejects.toMatchObject(refused);
  await expect(monitorDays(ctx, { monitorIds: [1], firstDay: 4e9, dayCount: 1 })).rejects.toMatchObject(refused);
  expect(await ask([])).toEqual([]);
  setTimeline(6, nowMs - dayMs);
  expect((await monitorDays(ctx, { monitorIds: [6], firstDay: today + 5, dayCount: 2 }))[0]?.seen).toEqual([0, 0]);
  await expect(
    monitorSparklines(
      ctx,
      Array.from({ length: 501 }, (_, index) => index),
    ),
  ).rejects.toMatchObject(refused);
});

test("a sparkline has the mean of each of 24 hours, rolled up or not; monitors without checks have none", async () => {
  const results = traffic(7, nowMs - 20 * hourMs, nowMs).filter(
    ({ slotMs }) => hourOf(slotMs) !== hourOf(nowMs - 5 * hourMs),
  );
  await store([...results, failureOf({ monitorId: 7, slotMs: nowMs - 1_000, manual: true, responseTimeMs: 9_999 })]);
  const raw = await monitorSparklines(ctx, [8, 7, 7]);
  await roll();
  const rolled = await monitorSparklines(ctx, [8, 7, 7]);
  for (const { firstHourMs, monitors } of [raw, rolled]) {
    expect(firstHourMs).toBe(hourOf(nowMs) - 23 * hourMs);
    expect(monitors?.map(({ monitorId }) => monitorId)).toEqual([7]);
    expect(monitors?.[0]?.avgMs).toHaveLength(24);
    for (const [hour, avgMs] of monitors?.[0]?.avgMs?.entries() ?? []) {
      const times = results
        .filter(({ slotMs }) => hourOf(slotMs) === (firstHourMs ?? 0) + hour * hourMs)
        .map(({ responseTimeMs }) => responseTimeMs);
      if (times.length === 0) expect(avgMs).toBe(-1);
      else expect(avgMs).toBeCloseTo(times.reduce((sum, time) => sum + time, 0) / times.length, 6);
    }
  }
  expect((await monitorSparklines(ctx, [])).monitors).toEqual([]);
});
