import { fakeClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Context } from "../context.ts";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { dayMs, dayOf, hourMs } from "../rollups/instants.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { noMaintenance, retention, rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";
import { createUptimes } from "./uptimes.ts";

const minuteMs = 60_000;
const startMs = dayOf(Date.now()) - 2 * dayMs;
let server: TestClickHouse;
let clock: ReturnType<typeof fakeClock>;
let ctx: Context;
let uptimes: ReturnType<typeof createUptimes>;

beforeAll(async () => {
  server = await startClickHouse();
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ["checks", "check_hours", "check_days", "touched_hours"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
  clock = fakeClock(startMs);
  ctx = { clock, retention, timelines: { get: () => undefined }, maintenance: noMaintenance, read: server.access.read };
  uptimes = createUptimes(ctx);
});

const store = (results: readonly CheckResult[]) =>
  createWriter({ clock, isDeleted: () => false }).write(server.clickhouse.writer, [
    readBatch(batchOf(results), { nowMs: clock.now(), rawDays: 30 }),
  ]);
const roll = () => rollClosedHours(server.clickhouse.writer, clock.now());
const up = (slotMs: number, monitorId = 1) => resultOf({ monitorId, slotMs });
const down = (slotMs: number, monitorId = 1) => failureOf({ monitorId, slotMs });
const share = (good: number, all: number) => (100 * good) / all;

test("checks older than a few minutes are read once, recent ones each time", async () => {
  await store([up(startMs, 1), down(startMs, 2)]);
  clock.advance(10 * minuteMs);
  const queries = vi.spyOn(server.clickhouse.reader, "query");
  const countOf = async (ids: readonly number[]) => {
    queries.mockClear();
    const answer = await uptimes(ids);
    return { answer, statements: queries.mock.calls.length };
  };
  const first = await countOf([1, 2]);
  await store([down(clock.now(), 1)]);
  const second = await countOf([2, 1]);
  const another = await countOf([1, 2, 3]);
  queries.mockRestore();
  expect(first.statements).toBe(5);
  expect(first.answer).toEqual([
    { monitorId: 1, h24: 100, d30: 100 },
    { monitorId: 2, h24: 0, d30: 0 },
  ]);
  expect(second.statements).toBe(1);
  expect(second.answer).toEqual([
    { monitorId: 2, h24: 0, d30: 0 },
    { monitorId: 1, h24: 50, d30: 50 },
  ]);
  expect(another.statements).toBe(5);
});

test("a result stored long after its slot counts after a minute and a half", async () => {
  clock.advance(10 * minuteMs);
  await store([up(startMs)]);
  await uptimes([1]);
  await store([down(startMs + minuteMs)]);
  expect(await uptimes([1])).toMatchObject([{ d30: 100 }]);
  clock.advance(90_000);
  expect(await uptimes([1])).toMatchObject([{ h24: 50, d30: 50 }]);
});

test("each slot counts once and immediately, through the end of an hour and of a day and rollups", async () => {
  const fromMs = startMs + dayMs - 5 * minuteMs;
  clock.advance(fromMs - startMs);
  const seen = { good: 0, all: 0 };
  for (let atMs = fromMs; atMs < fromMs + 15 * minuteMs; atMs += 20_000) {
    const isGood = (atMs / 20_000) % 7 !== 0;
    await store([isGood ? up(atMs) : down(atMs)]);
    seen.good += isGood ? 1 : 0;
    seen.all++;
    if (atMs % minuteMs === 0) await roll();
    expect(await uptimes([1])).toEqual([
      { monitorId: 1, h24: share(seen.good, seen.all), d30: share(seen.good, seen.all) },
    ]);
    expect(await uptimes([])).toMatchObject([{ monitorId: 0, d30: share(seen.good, seen.all) }]);
    clock.advance(20_000);
  }
  expect(dayOf(clock.now())).toBe(startMs + dayMs);
  expect(await rowsOf(server.clickhouse, "SELECT sum(seen) AS n FROM check_hours FINAL")).toEqual([{ n: 15 }]);
});

test("a monitor first requested after its hour was rolled up counts once", async () => {
  const endMs = startMs + hourMs;
  clock.advance(hourMs - 10_000);
  await store([up(endMs - 20 * minuteMs, 2), down(endMs - 10_000, 2), up(endMs - 10_000, 1)]);
  clock.advance(minuteMs + 10_000);
  await uptimes([1]);
  clock.advance(70_000);
  expect(await roll()).toBe(1);
  expect(await uptimes([2])).toEqual([{ monitorId: 2, h24: 50, d30: 50 }]);
});

test("monitors with distant ids are separate from those in between", async () => {
  await store([up(startMs, 5), down(startMs, 700), up(startMs, 90_000)]);
  clock.advance(10_000);
  expect(await uptimes([90_000, 5])).toEqual([
    { monitorId: 90_000, h24: 100, d30: 100 },
    { monitorId: 5, h24: 100, d30: 100 },
  ]);
});

test("setting a clock back does not count anything twice", async () => {
  clock.advance(30 * minuteMs);
  await store([up(startMs), down(startMs + 29 * minuteMs)]);
  expect(await uptimes([1])).toMatchObject([{ d30: 50 }]);
  ctx.clock = { ...clock, now: () => clock.now() - 10 * minuteMs };
  expect(await uptimes([1])).toMatchObject([{ d30: 50 }]);
});
