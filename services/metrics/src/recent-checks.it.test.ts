import { create } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { slotAfter, slotAtOrBefore } from "@sonde/kit/time/slots";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { type MonitorTimeline, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "./context.ts";
import { readBatch } from "./ingest/batch.ts";
import { createWriter } from "./ingest/write.ts";
import { dayMs, dayOf, hourMs } from "./rollups/instants.ts";
import { noMaintenance, retention, startClickHouse, type TestClickHouse } from "./testing/clickhouse.ts";
import { batchOf, failureOf, resultOf } from "./testing/results.ts";
import { monitorRecentChecks } from "./recent-checks.ts";

// Ten past midnight, so that thirty minutes reach into the previous day.
const nowMs = dayOf(Date.now()) - dayMs + 10 * 60_000 + 31_234;
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
  const batch = readBatch(batchOf(results), { nowMs, rawDays: 31 });
  await createWriter({ clock, isDeleted: () => false }).write(server.clickhouse.writer, [batch]);
}

function watch(
  monitorId: number,
  { fromMs = nowMs - 10 * dayMs, intervalMs = minuteMs, locations = ["default"] } = {},
) {
  const spans = [{ fromMs, intervalMs, locations, active: true }];
  timelines.set(monitorId, create(MonitorTimelineSchema, { monitorId, revision: 1, spans }));
}

/** The monitor's last `count` slots, oldest first, all old enough to be included. */
function slotsOf(monitorId: number, count: number, intervalMs = minuteMs): number[] {
  const last = slotAtOrBefore(monitorId, intervalMs, nowMs - 30_001);
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * intervalMs);
}

async function recentChecksOf(monitorId: number) {
  const [found] = await monitorRecentChecks(ctx, [monitorId]);
  return found?.recentChecks as { atMs: number; status: string; failed?: number; responseTimeMs?: number }[];
}

test("returns the last thirty slots, oldest first, each up, down or not run", async () => {
  watch(1);
  const slots = slotsOf(1, 60);
  await store(
    slots.flatMap((slotMs, index) => {
      if (index % 10 === 3) return [];
      if (index % 10 === 7) return [failureOf({ monitorId: 1, slotMs, responseTimeMs: 5 })];
      return [resultOf({ monitorId: 1, slotMs, responseTimeMs: 10 + index })];
    }),
  );
  const shown = slots.slice(-30).map((atMs, index) => {
    const place = index + 30;
    if (place % 10 === 3) return { atMs, status: "none" };
    if (place % 10 === 7) return { atMs, status: "down", responseTimeMs: 5 };
    return { atMs, status: "up", responseTimeMs: 10 + place };
  });
  expect(await recentChecksOf(1)).toEqual(shown);
});

test("a duplicate slot is shown once, with its last run, and manual checks are not shown", async () => {
  watch(2);
  const slots = slotsOf(2, 2);
  await store([
    failureOf({ monitorId: 2, slotMs: slots[0]!, latenessMs: 2 }),
    resultOf({ monitorId: 2, slotMs: slots[1]! }),
  ]);
  await store([resultOf({ monitorId: 2, slotMs: slots[0]!, latenessMs: 900, responseTimeMs: 7 })]);
  await store([failureOf({ monitorId: 2, slotMs: slots[1]! + 5_000, manual: true })]);
  const recentChecks = await recentChecksOf(2);
  expect(recentChecks).toHaveLength(30);
  expect(recentChecks.slice(-2).map(({ status }) => status)).toEqual(["up", "up"]);
  expect(recentChecks.at(-2)?.responseTimeMs).toBe(7);
});

test("a slot of several locations is down if more than half of them failed, and reports the percentage", async () => {
  watch(3, { locations: ["a", "b", "c"] });
  const slots = slotsOf(3, 4);
  const at = (index: number, location: string, isUp: boolean, responseTimeMs = 20) =>
    (isUp ? resultOf : failureOf)({ monitorId: 3, slotMs: slots[index]!, location, responseTimeMs });
  await store([
    at(0, "a", true, 10),
    at(0, "b", false, 20),
    at(0, "c", true, 60),
    at(1, "a", false),
    at(1, "b", false),
    at(1, "c", true),
    // Half is not more than half, and locations that did not run it do not count.
    at(2, "a", false),
    at(2, "b", true),
    at(3, "c", false),
  ]);
  const recentChecks = await recentChecksOf(3);
  expect(recentChecks).toHaveLength(30);
  expect(recentChecks.slice(-4).map(({ status }) => status)).toEqual(["up", "down", "up", "down"]);
  expect(recentChecks.slice(-4).map(({ failed }) => failed && Math.round(failed))).toEqual([33, 67, 50, undefined]);
  expect(recentChecks.at(-4)?.responseTimeMs).toBe(30);
});

test("paused time has no slots", async () => {
  const spans = [
    { fromMs: nowMs - dayMs, intervalMs: minuteMs, locations: ["default"], active: true },
    { fromMs: nowMs - 5 * hourMs, intervalMs: minuteMs, locations: ["default"], active: false },
    { fromMs: nowMs - 10 * minuteMs, intervalMs: minuteMs, locations: ["default"], active: true },
  ];
  timelines.set(4, create(MonitorTimelineSchema, { monitorId: 4, revision: 3, spans }));
  const before = slotAtOrBefore(4, minuteMs, nowMs - 5 * hourMs - 1);
  await store([failureOf({ monitorId: 4, slotMs: before }), resultOf({ monitorId: 4, slotMs: slotsOf(4, 1)[0]! })]);
  const recentChecks = await recentChecksOf(4);
  expect(recentChecks).toHaveLength(30);
  expect(recentChecks.filter(({ atMs }) => atMs >= nowMs - 5 * hourMs && atMs < nowMs - 10 * minuteMs)).toEqual([]);
  expect(recentChecks.find(({ atMs }) => atMs === before)?.status).toBe("down");
  expect(recentChecks.at(-1)?.status).toBe("up");
});

test("a new monitor has all slots so far, including its first", async () => {
  const fromMs = nowMs - 90 * minuteMs;
  watch(5, { fromMs, intervalMs: hourMs });
  const first = slotAtOrBefore(5, hourMs, fromMs);
  await store([resultOf({ monitorId: 5, slotMs: first, startedAtMs: fromMs })]);
  const recentChecks = await recentChecksOf(5);
  expect(recentChecks[0]).toMatchObject({ atMs: first, status: "up" });
  expect(recentChecks.slice(1).every(({ status }) => status === "none")).toBe(true);
  expect(recentChecks.length).toBeGreaterThanOrEqual(2);
  expect(recentChecks.length).toBeLessThanOrEqual(3);
});

test("a monitor that begins in the future, by its server's clock, has none", async () => {
  watch(8, { fromMs: nowMs + 2 * hourMs });
  expect(await recentChecksOf(8)).toEqual([]);
});

test("a slow monitor has as many slots as raw checks are retained", async () => {
  watch(6, { fromMs: nowMs - 300 * dayMs, intervalMs: dayMs });
  const slots = slotsOf(6, 25, dayMs);
  await store(slots.map((slotMs) => resultOf({ monitorId: 6, slotMs })));
  const recentChecks = await recentChecksOf(6);
  expect(recentChecks.map(({ atMs }) => atMs)).toEqual(slotsOf(6, recentChecks.length, dayMs));
  expect(recentChecks.length).toBeGreaterThanOrEqual(29);
  expect(recentChecks.length).toBeLessThanOrEqual(30);
  expect(recentChecks.slice(-25).every(({ status }) => status === "up")).toBe(true);
  expect(recentChecks.slice(0, -25).every(({ status }) => status === "none")).toBe(true);
});

test("a slot that may still be under way is not a gap, and is shown after its result arrives", async () => {
  watch(7, { intervalMs: 10_000 });
  const lastDue = slotAtOrBefore(7, 10_000, nowMs - 30_001);
  expect((await recentChecksOf(7)).at(-1)).toEqual({ atMs: lastDue, status: "none" });
  const newest = slotAfter(7, 10_000, lastDue);
  await store([resultOf({ monitorId: 7, slotMs: newest })]);
  expect((await recentChecksOf(7)).at(-1)).toMatchObject({ atMs: newest, status: "up" });
});

test("a page of monitors with any intervals is returned at once; unknown monitors are empty", async () => {
  const ids = [3, 404, 6, 1, 3];
  const page = await monitorRecentChecks(ctx, ids);
  expect(page.map(({ monitorId }) => monitorId)).toEqual([3, 404, 6, 1]);
  for (const { monitorId, recentChecks } of page) {
    expect(recentChecks).toEqual(monitorId === 404 ? [] : await recentChecksOf(monitorId ?? 0));
  }
  expect(await monitorRecentChecks(ctx, [])).toEqual([]);
});
