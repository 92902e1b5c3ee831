import { create } from "@bufbuild/protobuf";
import { type MaintenanceSpan, spanAt } from "@sonde/domain/maintenance/spans";
import { fakeClock } from "@sonde/kit/time/clock";
import { slotAfter } from "@sonde/kit/time/slots";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { type MonitorTimeline, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { monitorDays } from "../days/monitor-days.ts";
import { monitorSparklines } from "../days/sparklines.ts";
import { monitorHistory } from "../history/history.ts";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { monitorRecentChecks } from "../recent-checks.ts";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { retention, rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";
import { createUptimes } from "../uptimes/uptimes.ts";
import { correctMarks } from "./correct.ts";
import { listChecks } from "./list.ts";

// "Now" is 10:17:30; monitors are checked once a minute.
const minuteMs = 60_000;
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs + 17.5 * minuteMs;
const clock = fakeClock(nowMs);
const beganMs = dayOf(nowMs) - dayMs;
const timelines = new Map<number, MonitorTimeline>();
let windows: MaintenanceSpan[];
let server: TestClickHouse;
let ctx: Context;

beforeAll(async () => {
  server = await startClickHouse();
  const maintenance = { spansOf: () => windows };
  ctx = { clock, retention, timelines, maintenance, read: server.access.read };
});
afterAll(() => server.stop());
beforeEach(async () => {
  windows = [];
  for (const table of ["checks", "check_hours", "check_days", "touched_hours"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
});

async function store(results: readonly CheckResult[]): Promise<void> {
  const isInMaintenance = (_id: number, atMs: number) => spanAt(windows, atMs) !== undefined;
  const writer = createWriter({ clock, isDeleted: () => false, isInMaintenance });
  const batch = readBatch(batchOf(results), { nowMs, rawDays: 31 });
  await writer.write(server.clickhouse.writer, [batch]);
}
const roll = () => rollClosedHours(server.clickhouse.writer, nowMs);

function watch(monitorId: number): void {
  const spans = [{ fromMs: beganMs, intervalMs: minuteMs, locations: ["default"], active: true }];
  timelines.set(monitorId, create(MonitorTimelineSchema, { monitorId, revision: 1, spans }));
}

/** One result per slot in [from, to): failing and slow in maintenance, successful outside. */
function traffic(monitorId: number, fromMs: number, toMs: number): CheckResult[] {
  const results: CheckResult[] = [];
  for (let slotMs = slotAfter(monitorId, minuteMs, fromMs - 1); slotMs < toMs; slotMs += minuteMs) {
    const isCovered = spanAt(windows, slotMs) !== undefined;
    results.push(
      isCovered
        ? failureOf({ monitorId, slotMs, responseTimeMs: 9_000, message: "switched off" })
        : resultOf({ monitorId, slotMs, responseTimeMs: 50 }),
    );
  }
  return results;
}

const sum = (values: readonly (number | undefined)[] = []) =>
  values.reduce((total: number, value) => total + (value ?? 0), 0);

test("checks in maintenance never count for uptime, raw or rolled up, but are listed, marked and timed", async () => {
  watch(1);
  // One window across midnight, one from 9:30 this morning into the current hour.
  windows = [
    { fromMs: dayOf(nowMs) - 90 * minuteMs, toMs: dayOf(nowMs) + 45 * minuteMs },
    { fromMs: hourOf(nowMs) - 30 * minuteMs, toMs: hourOf(nowMs) + 5 * minuteMs },
  ];
  const all = traffic(1, beganMs, nowMs - minuteMs / 2);
  const counted = all.filter(({ slotMs }) => spanAt(windows, slotMs) === undefined);
  await store(all);
  const firstDay = dayOf(nowMs) / dayMs - 1;
  for (const when of ["raw", "rolled up"]) {
    const day = await monitorHistory(ctx, { monitorId: 1, range: "24h" });
    const month = await monitorHistory(ctx, { monitorId: 1, range: "30d" });
    const fromMs = day.buckets[0]?.startMs ?? 0;
    expect(sum(day.buckets.map(({ checks }) => checks)), when).toBe(
      counted.filter(({ slotMs }) => slotMs >= fromMs).length,
    );
    expect(sum(month.buckets.map(({ checks }) => checks)), when).toBe(counted.length);
    for (const { buckets, stepMs } of [day, month]) {
      expect(sum(buckets.map(({ up }) => up))).toBe(sum(buckets.map(({ checks }) => checks)));
      expect(sum(buckets.map(({ expected }) => expected))).toBe(sum(buckets.map(({ checks }) => checks)));
      expect(buckets.flatMap(({ error }) => error ?? [])).toEqual([]);
      for (const { startMs = 0, inMaintenance, maxMs, p95Ms } of buckets) {
        const touches = windows.some((window) => window.fromMs < startMs + stepMs && window.toMs > startMs);
        expect(inMaintenance).toBe(touches);
        const isSlow = all.some(
          (check) => check.responseTimeMs > 50 && check.slotMs >= startMs && check.slotMs < startMs + stepMs,
        );
        if (maxMs !== undefined) expect(maxMs).toBe(isSlow ? 9_000 : 50);
        if (maxMs !== undefined && !isSlow) expect(p95Ms).toBeCloseTo(50, -1);
      }
    }
    // A step entirely in maintenance has times and phases, but no uptime.
    const covered = day.buckets.find(({ checks, maxMs }) => checks === 0 && maxMs !== undefined);
    expect(covered).toMatchObject({ up: 0, expected: 0, avgMs: 9_000, p50Ms: 9_000, timings: { dnsMs: 1.2 } });
    const sumMs = all.reduce((total, { responseTimeMs }) => total + responseTimeMs, 0);
    expect(month.summary.avgMs).toBeCloseTo(sumMs / all.length, 3);
    expect(month.summary).toMatchObject({ checks: counted.length, failures: 0 });
    expect(await createUptimes(ctx)([1])).toEqual([{ monitorId: 1, h24: 100, d30: 100 }]);
    expect((await createUptimes(ctx)([]))[0]).toMatchObject({ h24: 100, d30: 100 });
    const [days] = await monitorDays(ctx, { monitorIds: [1], firstDay, dayCount: 2 });
    expect(sum(days?.seen)).toBe(counted.length);
    expect(days).toMatchObject({ up: days?.seen, expected: days?.seen, maintenanceMinutes: [90, 45 + 35] });
    // The hour before midnight is entirely in maintenance.
    const { monitors } = await monitorSparklines(ctx, [1]);
    expect(new Set(monitors?.[0]?.avgMs.filter((mean) => mean <= 50 || mean >= 9_000))).toEqual(new Set([50, 9_000]));

    expect(await rowsOf(server.clickhouse, "SELECT max(failed) AS failed FROM check_hours FINAL")).toEqual([
      { failed: 0 },
    ]);
    await roll();
  }
  const listed = await listChecks(ctx, { monitorId: 1, limit: 1_000 });
  expect(listed).toHaveLength(1_000);
  for (const { slotMs, inMaintenance, status } of listed) {
    expect(inMaintenance).toBe(spanAt(windows, slotMs) !== undefined);
    expect(status).toBe(inMaintenance ? "down" : "up");
  }
});

test("a late result is marked by its slot, a manual check is not, and the last run of a slot decides", async () => {
  watch(2);
  windows = [{ fromMs: nowMs - 2 * hourMs, toMs: nowMs - hourMs }];
  const slots = traffic(2, nowMs - 2 * hourMs, nowMs - 2 * hourMs + 3 * minuteMs).map(({ slotMs }) => slotMs);
  await store([
    failureOf({ monitorId: 2, slotMs: slots[0]! }),
    failureOf({ monitorId: 2, slotMs: slots[0]! + 1, manual: true }),
  ]);
  // Running a slot again after the window was withdrawn makes it count, and vice versa.
  await store([failureOf({ monitorId: 2, slotMs: slots[1]!, latenessMs: 1 })]);
  windows = [];
  await store([resultOf({ monitorId: 2, slotMs: slots[1]!, latenessMs: 900 })]);
  await store([resultOf({ monitorId: 2, slotMs: slots[2]!, latenessMs: 1 })]);
  windows = [{ fromMs: nowMs - 2 * hourMs, toMs: nowMs - hourMs }];
  await store([failureOf({ monitorId: 2, slotMs: slots[2]!, latenessMs: 900 })]);
  const listed = await listChecks(ctx, { monitorId: 2, limit: 10 });
  expect(listed.map(({ slotMs, manual, inMaintenance }) => [slotMs, manual, inMaintenance])).toEqual([
    [slots[2], false, true],
    [slots[1], false, false],
    [slots[0]! + 1, true, false],
    [slots[0], false, true],
  ]);
  for (const _when of ["raw", "rolled up"]) {
    expect(await createUptimes(ctx)([2])).toEqual([{ monitorId: 2, h24: 100, d30: 100 }]);
    const { buckets } = await monitorHistory(ctx, { monitorId: 2, range: "30d" });
    expect(sum(buckets.map(({ checks }) => checks))).toBe(1);
    await roll();
  }
});

test("marks follow a window that is added or ended after its checks were stored and rolled up", async () => {
  watch(4);
  const results = [4, 5].flatMap((id) => traffic(id, nowMs - 4 * hourMs, nowMs - minuteMs / 2));
  await store([...results, failureOf({ monitorId: 4, slotMs: nowMs - 2 * hourMs + 1, manual: true })]);
  await roll();
  const correct = () =>
    correctMarks(server.clickhouse.writer, {
      fromMs: nowMs - dayMs,
      toMs: nowMs + hourMs,
      monitorIds: [4],
      spansOf: () => windows,
    });
  const hours = [3, 2].map((before) => hourOf(nowMs) - before * hourMs);
  const marked = async () => {
    const listed = await listChecks(ctx, { monitorId: 4, limit: 1_000 });
    return listed.flatMap(({ slotMs, inMaintenance }) => (inMaintenance ? [slotMs] : [])).toReversed();
  };
  const within = () =>
    results.flatMap(({ monitorId, slotMs }) => (monitorId === 4 && spanAt(windows, slotMs) ? [slotMs] : []));
  expect(await correct()).toEqual([]);
  for (const [toMs, changed] of [
    [hours[1]! + 20 * minuteMs, hours],
    [hours[1]! - 10 * minuteMs, hours],
    [hours[1]! + 40 * minuteMs + 0.5, hours],
  ] as const) {
    windows = [{ fromMs: hours[0]! + 30 * minuteMs, toMs }];
    expect((await correct()).toSorted((one, other) => one - other)).toEqual(changed);
    expect(await marked()).toEqual(within());
    // First raw, since their hours are touched; then rolled up again.
    for (const _when of ["raw", "rolled up"]) {
      const { buckets } = await monitorHistory(ctx, { monitorId: 4, range: "30d" });
      const all = results.filter(({ monitorId }) => monitorId === 4).length;
      expect(sum(buckets.map(({ checks }) => checks))).toBe(all - within().length);
      await roll();
    }
    expect(await correct()).toEqual([]);
  }
  expect((await listChecks(ctx, { monitorId: 5, limit: 1_000 })).some(({ inMaintenance }) => inMaintenance)).toBe(
    false,
  );
});

test("recent checks mark maintenance for slots that ran and slots that did not", async () => {
  watch(3);
  windows = [{ fromMs: nowMs - 20 * minuteMs, toMs: nowMs - 10 * minuteMs }];
  const all = traffic(3, nowMs - 40 * minuteMs, nowMs - minuteMs);
  // One in four does not run.
  await store(all.filter((_, index) => index % 4 !== 0));
  const [answer] = await monitorRecentChecks(ctx, [3]);
  const shown = answer?.recentChecks ?? [];
  expect(shown).toHaveLength(30);
  const byslot = new Map(all.map(({ slotMs }, index) => [slotMs, index]));
  for (const { atMs = 0, status, inMaintenance } of shown) {
    const isCovered = spanAt(windows, atMs) !== undefined;
    expect(inMaintenance ?? false).toBe(isCovered);
    const wasRun = (byslot.get(atMs) ?? 0) % 4 !== 0;
    expect(status).toBe(wasRun ? (isCovered ? "down" : "up") : "none");
  }
  expect(new Set(shown.map(({ status, inMaintenance }) => `${status} ${inMaintenance ?? false}`)).size).toBe(4);
});
