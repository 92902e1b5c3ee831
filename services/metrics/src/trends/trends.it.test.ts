import { fakeClock } from "@sonde/kit/time/clock";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { dayMs, dayOf, hourMs } from "../rollups/instants.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { noMaintenance, retention, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, checksOf, failureOf, resultOf } from "../testing/results.ts";
import { createTrends, orderByTrend, slowerMonitors, type Trends } from "./trends.ts";

const minuteMs = 60_000;
/** Half past one, so that the window of three hours began on the day before. */
const nowMs = dayOf(Date.now()) - dayMs + 1.5 * hourMs;
const heartbeat = 99;

let server: TestClickHouse;
let clock: ReturnType<typeof fakeClock>;
let ctx: Context;
let reads: number;
beforeAll(async () => void (server = await startClickHouse()));
afterAll(() => server.stop());
beforeEach(() => {
  clock = fakeClock(nowMs);
  reads = 0;
  const dueInRows = { dueInRows: true } as MonitorTimeline;
  const timelines = { get: (id: number) => (id === heartbeat ? dueInRows : undefined) };
  const read: Context["read"] = (query) => ((reads += 1), server.access.read(query));
  ctx = { clock, retention, timelines, maintenance: noMaintenance, read };
});
afterEach(async () => {
  for (const table of ["checks", "check_hours", "check_days", "touched_hours"])
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
});

/** Response times of a monitor around each of these days before now; 0 is today. */
type Course = Readonly<Record<number, number>>;
const steady = (ms: number, days = [1, 2, 3, 4, 5, 6, 7]): Course => Object.fromEntries(days.map((day) => [day, ms]));

function checks(monitorId: number, course: Course, make = resultOf, intervalMs = minuteMs) {
  return Object.entries(course).flatMap(([day, responseTimeMs]) => {
    const untilMs = nowMs - Number(day) * dayMs;
    const paced: typeof resultOf = (fields) => make({ ...fields, responseTimeMs });
    return checksOf(monitorId, untilMs - 2.5 * hourMs, untilMs, paced, intervalMs);
  });
}

async function store(...results: ReturnType<typeof checks>[]) {
  const writer = createWriter({ clock, isDeleted: () => false });
  await writer.write(server.clickhouse.writer, [readBatch(batchOf(results.flat()), { nowMs, rawDays: 31 })]);
  await rollClosedHours(server.clickhouse.writer, nowMs);
}
const read = () => createTrends(ctx)();
const shown = (trends: Trends) =>
  [...trends.values()]
    .toSorted((one, other) => one.monitorId - other.monitorId)
    .map(({ monitorId, lastMs, usualMs, slower }) => [monitorId, lastMs, usualMs, slower]);

describe("a monitor's trend", () => {
  test("compares the last hours with the same hours of the last week, wherever these are stored", async () => {
    await store(
      checks(1, { ...steady(320), 0: 900 }),
      checks(2, { ...steady(320), 0: 320 }),
      checks(3, { ...steady(900), 0: 320 }),
      // Other hours of the same days do not count.
      checksOf(2, nowMs - 2 * dayMs + hourMs, nowMs - 2 * dayMs + 9 * hourMs, (fields) =>
        resultOf({ ...fields, responseTimeMs: 9000 }),
      ),
    );
    expect(shown(await read())).toEqual([
      [1, 900, 320, true],
      [2, 320, 320, false],
      [3, 320, 900, false],
    ]);
    // Before the last hours are rolled up, they are read from checks.
    await server.clickhouse.writer.command({ query: "TRUNCATE TABLE check_hours" });
    await server.clickhouse.writer.command({
      query: "INSERT INTO touched_hours SELECT DISTINCT toStartOfHour(slot), generateUUIDv4() FROM checks",
    });
    expect(shown(await read())).toEqual([
      [1, 900, undefined, false],
      [2, 320, undefined, false],
      [3, 320, undefined, false],
    ]);
  });

  test("is a clear change only from 50 % and 50 ms", async () => {
    await store(
      checks(1, { ...steady(20), 0: 60 }),
      checks(2, { ...steady(1000), 0: 1400 }),
      checks(3, { ...steady(100), 0: 175 }),
    );
    expect(shown(await read()).map(([id, , , slower]) => [id, slower])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
  });

  test("uses the 95th percentile, without failed and manual checks", async () => {
    const tenPercent: typeof resultOf = (fields) =>
      resultOf({ ...fields, responseTimeMs: Math.round(fields.slotMs / minuteMs) % 10 === 0 ? 500 : 100 });
    const untilMs = nowMs;
    await store(
      checksOf(1, untilMs - 2 * hourMs, untilMs, tenPercent),
      checksOf(2, untilMs - 2 * hourMs, untilMs, (fields) =>
        fields.slotMs % (2 * minuteMs) < minuteMs
          ? failureOf({ ...fields, responseTimeMs: 9000 })
          : resultOf({ ...fields, responseTimeMs: 100 }),
      ),
      [resultOf({ monitorId: 2, slotMs: untilMs - hourMs, responseTimeMs: 9000, manual: true })],
    );
    const trends = await read();
    expect(trends.get(1)?.lastMs).toBeGreaterThan(480);
    expect(trends.get(1)?.lastMs).toBeLessThanOrEqual(500);
    // Interpolated within 8 %.
    expect(trends.get(2)?.lastMs).toBeGreaterThan(96);
    expect(trends.get(2)?.lastMs).toBeLessThan(108);
  });

  test("has no usual value without three days of data, or with few checks now", async () => {
    await store(
      checks(1, { ...steady(100, [1, 2]), 0: 900 }),
      checks(2, { ...steady(100, [1, 4, 7]), 0: 900 }),
      checks(3, { ...steady(100, [8, 9, 10]), 0: 900 }),
      checks(4, { ...steady(100), 0: 900 }, resultOf, 40 * minuteMs),
      checks(5, { 0: 900 }),
    );
    expect(shown(await read()).map(([id, , usual]) => [id, usual])).toEqual([
      [1, undefined],
      [2, 100],
      [3, undefined],
      [4, undefined],
      [5, undefined],
    ]);
  });

  test("ignores a slow day among others, and days on which every check failed", async () => {
    await store(
      checks(1, { ...steady(100), 3: 5000, 0: 100 }),
      checks(2, { ...steady(100, [1, 2]), 0: 900 }),
      checks(2, steady(100, [3, 4, 5]), failureOf),
    );
    expect(shown(await read())).toEqual([
      [1, 100, 100, false],
      [2, 900, undefined, false],
    ]);
  });

  test("is absent for heartbeats, without recent checks, and if all of these failed", async () => {
    await store(
      checks(heartbeat, { ...steady(100), 0: 900 }),
      checks(1, steady(100)),
      checks(2, steady(100)),
      checks(2, { 0: 900 }, failureOf),
    );
    expect(shown(await read())).toEqual([]);
  });

  test("reads the usual values once an hour", async () => {
    await store(checks(1, { ...steady(100), 0: 300 }));
    const trends = createTrends(ctx);
    expect((await trends()).get(1)?.usualMs).toBe(100);
    await server.clickhouse.writer.command({ query: "TRUNCATE TABLE check_hours" });
    expect((await trends()).get(1)).toMatchObject({ usualMs: 100, slower: true });
    clock.advance(hourMs);
    expect((await trends()).get(1)?.usualMs).toBeUndefined();
    expect(reads).toBe(3);
  });
});

describe("monitors by trend", () => {
  const trends: Trends = new Map(
    [
      { monitorId: 1, lastMs: 900, usualMs: 320, slower: true },
      { monitorId: 2, lastMs: 300, usualMs: 60, slower: true },
      { monitorId: 3, lastMs: 40, usualMs: 41, slower: false },
      { monitorId: 4, lastMs: 5000, slower: false },
      { monitorId: 5, lastMs: 60, usualMs: 0, slower: true },
    ].map((trend) => [trend.monitorId, trend]),
  );

  test("that became slower are listed by change", () => {
    expect(slowerMonitors(trends, 10)).toEqual([2, 1, 5]);
    expect(slowerMonitors(trends, 1)).toEqual([2]);
  });

  test("are sorted by p95 or its change, those without a value last in both directions", () => {
    const order = (by: "p95" | "p95Change", descending: boolean) =>
      orderByTrend(trends, { monitorIds: [7, 4, 3, 2, 1], by, descending });
    expect(order("p95", false)).toEqual([3, 2, 1, 4, 7]);
    expect(order("p95", true)).toEqual([4, 1, 2, 3, 7]);
    expect(order("p95Change", false)).toEqual([3, 1, 2, 7, 4]);
    expect(order("p95Change", true)).toEqual([2, 1, 3, 7, 4]);
  });
});
