import { create } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { type CheckResult, TimingsSchema } from "@sonde/proto/gen/checks/v1/checks";
import { type MonitorTimeline, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { noMaintenance, retention, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, checksOf, failureOf, quantile, randomOf, resultOf } from "../testing/results.ts";
import { type CheckHistory, monitorHistory } from "./history.ts";
import { locationHistories } from "./locations.ts";

// "Now" is 10:17:30 UTC; monitors are checked every ten minutes by default.
const minuteMs = 60_000;
const intervalMs = 10 * minuteMs;
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs + 17.5 * minuteMs;
const clock = fakeClock(nowMs);
const timelines = new Map<number, MonitorTimeline>();
let server: TestClickHouse;
let ctx: Context;

beforeAll(async () => {
  server = await startClickHouse();
  ctx = { clock, retention, timelines, maintenance: noMaintenance, read: server.access.read };
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ["checks", "check_hours", "check_days", "touched_hours"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
});

async function store(results: readonly CheckResult[]): Promise<void> {
  const writer = createWriter({ clock, isDeleted: () => false });
  const batch = readBatch(batchOf(results), { nowMs, rawDays: 31 });
  await writer.write(server.clickhouse.writer, [batch]);
}
const roll = () => rollClosedHours(server.clickhouse.writer, nowMs);

function setTimeline(monitorId: number, fromMs: number, everyMs = intervalMs) {
  const spans = [{ fromMs, intervalMs: everyMs, locations: ["default"], active: true }];
  timelines.set(monitorId, create(MonitorTimelineSchema, { monitorId, revision: 1, spans }));
}

async function watch(monitorId: number, fromMs: number, everyMs = intervalMs) {
  const random = randomOf(monitorId);
  setTimeline(monitorId, fromMs, everyMs);
  const make = (fields: { monitorId: number; slotMs: number }) => {
    const responseTimeMs = 10 + Math.round(random() * 3_000) / 10;
    return random() < 0.1 ? failureOf({ ...fields, responseTimeMs: 9_000 }) : resultOf({ ...fields, responseTimeMs });
  };
  const due = checksOf(monitorId, fromMs, nowMs - 30_000, make, everyMs);
  const seen = due.filter(() => random() < 0.9);
  await store(seen);
  return { due, seen };
}

const within = (results: readonly CheckResult[], fromMs: number, toMs: number) =>
  results.filter(({ slotMs }) => slotMs >= fromMs && slotMs < toMs);

/** A summary computed from the results; percentiles as intervals. */
function truthOf({ due, seen }: Record<"due" | "seen", CheckResult[]>, fromMs: number, untilMs: number, error = 0) {
  const checks = within(seen, fromMs, untilMs);
  const times = checks.map(({ responseTimeMs }) => responseTimeMs);
  const goodTimes = checks.filter(({ status }) => status === "up").map(({ responseTimeMs }) => responseTimeMs);
  const near = (value: number) => ({
    asymmetricMatch: (stored: number) => Math.abs(stored / value - 1) <= error + 1e-9,
    toString: () => `within ${error} of ${value}`,
  });
  return {
    fromMs,
    untilMs,
    checks: checks.length,
    failures: checks.filter(({ status }) => status === "down").length,
    expected: within(due, fromMs, untilMs).length,
    avgMs: expect.closeTo(times.reduce((sum, time) => sum + time, 0) / times.length, 6),
    p50Ms: near(quantile(goodTimes, 0.5)),
    p95Ms: near(quantile(goodTimes, 0.95)),
  };
}

const sum = (history: CheckHistory, key: "checks" | "up" | "expected") =>
  history.buckets.reduce((total, bucket) => total + (bucket[key] ?? 0), 0);

test("an hour and a day are exact, with the previous hour and day", async () => {
  const stored = await watch(1, nowMs - 3 * dayMs, minuteMs);
  for (const range of ["1h", "24h"] as const) {
    const history = await monitorHistory(ctx, { monitorId: 1, range });
    const fromMs = history.buckets[0]?.startMs ?? 0;
    expect(history.summary).toEqual(truthOf(stored, fromMs, nowMs));
    expect(history.previous).toEqual(truthOf(stored, 2 * fromMs - nowMs, fromMs));
    expect([sum(history, "checks"), sum(history, "expected")]).toEqual([
      history.summary.checks,
      history.summary.expected,
    ]);
  }
});

test("steps of every range are the same from checks and from hours, with the previous period", async () => {
  const stored = await watch(2, nowMs - 15.3 * dayMs);
  const cases = [
    { range: "7d", step: undefined, count: 168, stepMs: hourMs },
    { range: "7d", step: "1d", count: 7, stepMs: dayMs },
    { range: "30d", step: "1h", count: 720, stepMs: hourMs },
    { range: "30d", step: undefined, count: 30, stepMs: dayMs },
  ] as const;
  const matchesAll = async () => {
    for (const { range, step, count, stepMs } of cases) {
      const { buckets, summary, previous } = await monitorHistory(ctx, { monitorId: 2, range, step });
      const fromMs = buckets[0]?.startMs ?? 0;
      expect(buckets).toHaveLength(count);
      expect(summary).toEqual(truthOf(stored, fromMs, nowMs, 0.08));
      for (const { startMs = 0, checks = 0, expected } of buckets) {
        expect(checks).toBe(within(stored.seen, startMs, startMs + stepMs).length);
        expect(expected).toBe(within(stored.due, startMs, startMs + stepMs).length);
      }
      if (range === "7d") expect(previous).toEqual(truthOf(stored, hourOf(2 * fromMs - nowMs), fromMs, 0.08));
      else expect(previous).toBeUndefined();
    }
  };
  await matchesAll();
  await roll();
  // Keep only the checks of the current hour: the others must come from hours and days.
  await server.clickhouse.writer.command({
    query: `DELETE FROM checks WHERE slot < toDateTime(${hourOf(nowMs) / 1000})`,
  });
  await matchesAll();
});

test("days of a time zone begin at its midnight; in half-hour zones with the first whole hour after it", async () => {
  const { seen, due } = await watch(3, nowMs - 9 * dayMs);
  await roll();
  for (const [timeZone, offsetMs, laterMs] of [
    ["Asia/Shanghai", 8 * hourMs, 0],
    ["Asia/Kolkata", 5.5 * hourMs, hourMs / 2],
  ] as const) {
    const { buckets } = await monitorHistory(ctx, { monitorId: 3, range: "7d", step: "1d", timeZone });
    expect(buckets).toHaveLength(7);
    expect(buckets.at(-1)?.startMs).toBe(dayOf(nowMs + offsetMs) - offsetMs);
    for (const { startMs = 0, checks, expected } of buckets) {
      expect((startMs + offsetMs) % dayMs).toBe(0);
      const fromMs = startMs + laterMs;
      expect(checks).toBe(within(seen, fromMs, fromMs + dayMs).length);
      expect(expected).toBe(within(due, fromMs, fromMs + dayMs).length);
    }
  }
});

test("the previous period is missing if the monitor did not exist or its hours have expired", async () => {
  await watch(4, nowMs - 50 * minuteMs, minuteMs);
  expect((await monitorHistory(ctx, { monitorId: 4, range: "1h" })).previous).toBeUndefined();
  await watch(5, nowMs - 100 * minuteMs, minuteMs);
  const { previous } = await monitorHistory(ctx, { monitorId: 5, range: "1h" });
  // It existed for a part of it.
  expect(previous?.expected).toBeGreaterThan(30);
  expect(previous?.expected).toBeLessThan(50);
  await watch(6, nowMs - 20 * dayMs);
  expect((await monitorHistory(ctx, { monitorId: 6, range: "7d" })).previous).toBeDefined();
  const short = { ...ctx, retention: { rawDays: 2, rollupDays: 13 } };
  expect((await monitorHistory(short, { monitorId: 6, range: "7d" })).previous).toBeUndefined();
  expect((await monitorHistory(short, { monitorId: 6, range: "24h" })).previous).toBeDefined();
});

test("a monitor that existed without checks has an empty previous period", async () => {
  setTimeline(7, nowMs - 3 * dayMs);
  const { previous } = await monitorHistory(ctx, { monitorId: 7, range: "24h" });
  expect(previous).toEqual({ fromMs: expect.any(Number), untilMs: expect.any(Number), expected: 144 });
});

test("a custom period is read from checks or, after those have expired, from hours", async () => {
  const stored = await watch(11, nowMs - 3 * dayMs, minuteMs);
  const fromMs = hourOf(nowMs) - 30 * hourMs;
  const period = {
    range: "24h",
    from: new Date(fromMs).toISOString(),
    until: new Date(fromMs + 4 * hourMs).toISOString(),
  } as const;
  const exact = await monitorHistory(ctx, { monitorId: 11, ...period });
  expect([exact.stepMs, exact.buckets.length]).toEqual([minuteMs, 240]);
  expect(exact.summary).toEqual(truthOf(stored, fromMs, fromMs + 4 * hourMs));
  expect(exact.previous).toEqual(truthOf(stored, fromMs - 4 * hourMs, fromMs));
  await roll();
  const short = { ...ctx, retention: { rawDays: 1, rollupDays: 400 } };
  const rolled = await monitorHistory(short, { monitorId: 11, ...period });
  expect([rolled.stepMs, rolled.buckets.length]).toEqual([hourMs, 4]);
  expect(rolled.summary).toEqual(truthOf(stored, fromMs, fromMs + 4 * hourMs, 0.08));
});

test("changes to how a monitor is checked are returned with their times, only those of the period", async () => {
  const span = { intervalMs: minuteMs, locations: ["a", "b"], active: true };
  const spans = [
    { ...span, fromMs: nowMs - 30 * hourMs },
    { ...span, fromMs: nowMs - 20 * hourMs, active: false },
    { ...span, fromMs: nowMs - 10 * hourMs, locations: ["b", "a"] },
    { ...span, fromMs: nowMs - 5 * hourMs, intervalMs: 5 * minuteMs, locations: ["a"] },
  ];
  timelines.set(12, create(MonitorTimelineSchema, { monitorId: 12, revision: 1, spans }));
  const { changes } = await monitorHistory(ctx, { monitorId: 12, range: "24h" });
  expect(changes.map(({ at, kinds }) => [nowMs - Date.parse(at), kinds])).toEqual([
    [20 * hourMs, ["paused"]],
    [10 * hourMs, ["resumed"]],
    [5 * hourMs, ["interval", "locations"]],
  ]);
  const week = await monitorHistory(ctx, { monitorId: 12, range: "7d" });
  expect(week.changes[0]?.kinds).toEqual(["created"]);
});

test("locations are reported separately, each with its uptime and the times of successful checks", async () => {
  setTimeline(13, nowMs - 2 * dayMs, minuteMs);
  const make = (location: string, responseTimeMs: number, isFailed: (index: number) => boolean) =>
    checksOf(13, nowMs - hourMs, nowMs - 30_000, (fields) => {
      const failed = isFailed(Math.round(fields.slotMs / minuteMs));
      return failed
        ? failureOf({ ...fields, location, responseTimeMs: 9_000 })
        : resultOf({ ...fields, location, responseTimeMs });
    });
  const [tokyo, berlin] = [make("tokyo", 200, (index) => index % 2 === 0), make("berlin", 20, () => false)];
  await store([...tokyo, ...berlin]);
  const stored = await locationHistories(ctx, { monitorId: 13, range: "1h" });
  expect(stored.step).toBe(60);
  expect(stored.locations.map(({ name, p50, p95 }) => [name, p50, p95])).toEqual([
    ["berlin", 20, 20],
    ["tokyo", 200, 200],
  ]);
  const [, second] = stored.locations;
  expect(second?.times).toHaveLength(60);
  const failures = within(tokyo, Date.parse(stored.from), nowMs).filter(({ status }) => status === "down").length;
  expect(second?.failures).toBe(failures);
  expect(second?.times.filter((time) => time === null).length).toBeGreaterThanOrEqual(failures);
  expect((await locationHistories(ctx, { monitorId: 14, range: "30d" })).locations).toEqual([]);
});

test("phases are means over the checks that have them; a phase that was not reached counts as 0", async () => {
  setTimeline(8, nowMs - 3 * dayMs);
  const timings = (connectMs: number, tlsMs: number, totalMs: number) =>
    create(TimingsSchema, { dnsMs: 2, connectMs, tlsMs, totalMs });
  const checks = checksOf(
    8,
    nowMs - 2 * dayMs,
    nowMs - minuteMs,
    (fields) =>
      Math.round((fields.slotMs - nowMs) / intervalMs) % 2 === 0
        ? resultOf({ ...fields, responseTimeMs: 100, timings: timings(20, 40, 100) })
        : failureOf({ ...fields, responseTimeMs: 60, timings: timings(50, 0, 60) }),
    intervalMs,
  );
  await store(checks);
  const seen = async (range: "24h" | "7d") => {
    const { buckets } = await monitorHistory(ctx, { monitorId: 8, range, step: "1h" });
    return buckets.filter(({ checks: count, startMs }) => count === 6 && startMs < hourOf(nowMs));
  };
  for (const { timings: stored } of await seen("24h")) {
    expect(stored).toEqual({ dnsMs: 2, connectMs: 35, tlsMs: 20, firstByteMs: undefined, totalMs: 80 });
  }
  await roll();
  const rolled = await seen("7d");
  expect(rolled.length).toBeGreaterThan(40);
  for (const { timings: stored } of rolled) {
    expect(stored).toMatchObject({ firstByteMs: undefined, totalMs: 80 });
    for (const [value, exact] of [
      [stored?.dnsMs, 2],
      [stored?.connectMs, 35],
      [stored?.tlsMs, 20],
    ] as const) {
      expect((value ?? 0) / exact).toBeGreaterThan(1 / 1.04);
      expect((value ?? 0) / exact).toBeLessThan(1.04);
    }
  }
});

test("hours stored without phases have none, next to those that have them", async () => {
  setTimeline(9, nowMs - 3 * dayMs);
  await store(checksOf(9, nowMs - 5 * hourMs, nowMs - minuteMs, resultOf, intervalMs));
  await roll();
  // As the previous version wrote them.
  const old = hourOf(nowMs) - 3 * hourMs;
  await server.clickhouse.writer.command({
    query: `INSERT INTO check_hours SELECT * REPLACE (0 AS dns, 0 AS connect, 0 AS tls, 0 AS first_byte, revision + 1 AS revision)
      FROM check_hours FINAL WHERE monitor_id = 9 AND hour = toDateTime(${old / 1000})`,
  });
  const { buckets } = await monitorHistory(ctx, { monitorId: 9, range: "7d" });
  const stored = new Map(buckets.map(({ startMs, timings, avgMs }) => [startMs, { timings, avgMs }]));
  expect(stored.get(old)).toEqual({ avgMs: 42.5, timings: undefined });
  expect(stored.get(old + hourMs)).toMatchObject({ avgMs: 42.5, timings: { totalMs: 42.5 } });
  const day = await monitorHistory(ctx, { monitorId: 9, range: "7d", step: "1d", timeZone: "Asia/Kolkata" });
  expect(day.buckets.at(-1)?.timings?.connectMs).toBeCloseTo(3.4, 0);
});

test("steps of a monitor with hundreds of windows and edits do not block the event loop", async () => {
  const fromMs = nowMs - 60 * dayMs;
  const spans = Array.from({ length: 500 }, (_, index) => ({
    fromMs: fromMs + index * 2 * hourMs,
    intervalMs: minuteMs * (1 + (index % 3)),
    locations: ["default"],
    active: true,
  }));
  timelines.set(10, create(MonitorTimelineSchema, { monitorId: 10, revision: 1, spans }));
  const windows = Array.from({ length: 400 }, (_, index) => ({
    fromMs: fromMs + index * 3 * hourMs,
    toMs: fromMs + index * 3 * hourMs + 20 * minuteMs,
  }));
  let looks = 0;
  const watched = new Proxy(windows, {
    get: (target, key, receiver) => {
      if (typeof key === "string" && /^\d+$/.test(key)) looks++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  const covered = { ...ctx, maintenance: { spansOf: () => watched } };
  const { buckets } = await monitorHistory(covered, { monitorId: 10, range: "30d", step: "1h" });
  expect(buckets).toHaveLength(720);
  // Checking every window for every step would be 288,000.
  expect(looks).toBeLessThan(30_000);
});
