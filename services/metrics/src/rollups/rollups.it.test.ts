import { fakeClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { readBatch } from "../ingest/batch.ts";
import { createWriter, type Writer } from "../ingest/write.ts";
import { rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, randomOf, resultOf } from "../testing/results.ts";
import { dayMs, dayOf, hourMs } from "./instants.ts";
import { selectTouchedHours, rollClosedHours } from "./roll.ts";
import type { SpanFigures } from "../history/figures.ts";
import { figuresSql } from "./stored.ts";

let server: TestClickHouse;
let clock: ReturnType<typeof fakeClock>;
let writer: Writer;
const startMs = dayOf(Date.now()) - 3 * dayMs;

beforeAll(async () => {
  server = await startClickHouse();
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ["checks", "check_hours", "check_days", "touched_hours"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
  clock = fakeClock(startMs);
  writer = createWriter({ clock, isDeleted: () => false });
});

const store = (results: readonly CheckResult[]) =>
  writer.write(server.clickhouse.writer, [readBatch(batchOf(results), { nowMs: startMs + 2 * dayMs, rawDays: 30 })]);
const roll = async () => {
  const rolled = await rollClosedHours(server.clickhouse.writer, clock.now());
  writer.forget();
  return rolled;
};

type Stored = Omit<SpanFigures, "atMs" | "covered" | "lastCheckedAtMs" | "lastError" | "phaseSums" | "phaseCounts"> & {
  id: number;
  at: number;
};

/** The bucket of a value, by the same definition as the SQL. */
const bucketOf = (tenths: number) =>
  tenths === 0 ? 0 : Math.min(255, 1 + Math.floor(Math.log(tenths) / Math.log(1.08)));

/** The expected rollups, computed from the results: one per slot, regardless of duplicates. */
function truthOf(results: readonly CheckResult[], spanMs: number): Stored[] {
  const slots = new Map(results.map((result) => [`${result.monitorId} ${result.location} ${result.slotMs}`, result]));
  const groups = Map.groupBy(
    slots.values(),
    (result) => `${result.monitorId} ${Math.floor(result.slotMs / spanMs) * spanMs}`,
  );
  return [...groups].map(([key, group]) => {
    const [id = 0, at = 0] = key.split(" ").map(Number);
    const tenths = group.map((result) => Math.round(result.responseTimeMs * 10));
    const places = tenths.map(bucketOf);
    const faults = places.filter((_, index) => group[index]?.status === "down");
    const failedBuckets = [...new Set(faults)].sort((left, right) => left - right);
    const first = Math.min(...places);
    const buckets = Array.from({ length: Math.max(...places) - first + 1 }, (_, step) => first + step);
    return {
      id,
      at,
      seen: group.length,
      up: group.filter((result) => result.status === "up").length,
      max: Math.max(...tenths),
      sum: tenths.reduce((sum, value) => sum + value, 0),
      buckets,
      counts: buckets.map((bucket) => places.filter((place) => place === bucket).length),
      failedBuckets,
      failedCounts: failedBuckets.map((bucket) => faults.filter((place) => place === bucket).length),
    };
  });
}

const byKey = (left: Stored, right: Stored) => left.id - right.id || left.at - right.at;

const stored = (table: "check_hours" | "check_days", at: string): Promise<Stored[]> =>
  rowsOf<Stored>(
    server.clickhouse,
    `SELECT id, toUnixTimestamp(at) * 1000. AS at, seen, up, max, toFloat64(sum) AS sum, buckets, counts,
       failed_buckets AS failedBuckets, failed_counts AS failedCounts
     FROM (${figuresSql(`r.monitor_id AS id, ${at} AS at`, table, "1")}) ORDER BY id, at`,
  );
const hours = () => stored("check_hours", "hour");
const days = () => stored("check_days", "toDateTime(day, 'UTC')");

function traffic(): CheckResult[] {
  const random = randomOf(7);
  return [1, 2].flatMap((monitorId) =>
    ["default", "west"].flatMap((location) =>
      Array.from({ length: 26 * 60 }, (_, minute) => {
        const fields = { monitorId, location, slotMs: startMs + minute * 60_000 + monitorId * 777 };
        const responseTimeMs = Math.round(random() ** 4 * 90_000) / 10;
        return random() < 0.02 ? failureOf({ ...fields, responseTimeMs }) : resultOf({ ...fields, responseTimeMs });
      }),
    ),
  );
}

test("rollups equal the checks, although every batch arrives three times, in other blocks, late and out of order", async () => {
  const results = traffic();
  const random = randomOf(11);
  const deliveries = [0, 1, 2].flatMap((round) => {
    const size = [151, 389, 977][round] ?? 1;
    return Array.from({ length: Math.ceil(results.length / size) }, (_, index) => ({
      order: index * size + random() * results.length * 0.4,
      batch: results.slice(index * size, (index + 1) * size),
    }));
  });
  deliveries.sort((left, right) => left.order - right.order);
  for (const [index, { batch }] of deliveries.entries()) {
    await store(batch);
    // Time advances: hours are closed and rolled up before all of their rows have arrived.
    if (index % 15 === 0) {
      clock.advance(4 * hourMs);
      await roll();
    }
  }
  clock.advance(2 * dayMs);
  await roll();
  expect(await hours()).toEqual(truthOf(results, hourMs).sort(byKey));
  expect(await days()).toEqual(truthOf(results, dayMs).sort(byKey));
  expect(await selectTouchedHours(server.clickhouse.reader, 0)).toEqual([]);
});

test("figures of any size survive encoding: many equal checks, zero, and the longest possible", async () => {
  const times = [0, 0.1, 0.2, 99.9, 100, 5_000.5, 429_496_729.5];
  const results = [3, 4].flatMap((monitorId) =>
    Array.from({ length: 3_000 }, (_, index) =>
      resultOf({
        monitorId,
        slotMs: startMs + index * 1_000,
        responseTimeMs: monitorId === 3 && index < times.length ? times[index]! : 12.3,
      }),
    ),
  );
  await store(results);
  clock.advance(2 * hourMs);
  await roll();
  expect(await hours()).toEqual(truthOf(results, hourMs).sort(byKey));
  expect(await days()).toEqual(truthOf(results, dayMs).sort(byKey));
});

test("a last check's lateness is truncated to tenths of a second", async () => {
  await store([1, 2].map((monitorId) => resultOf({ monitorId, slotMs: startMs, latenessMs: monitorId * 99 })));
  clock.advance(2 * hourMs);
  await roll();
  const rows = await rowsOf<{ lastCheckedAtMs: number }>(
    server.clickhouse,
    `SELECT toFloat64(toUnixTimestamp64Milli(last_slot)) + last_lateness AS lastCheckedAtMs
     FROM (${figuresSql("r.monitor_id AS id", "check_hours", "1")}) ORDER BY id`,
  );
  expect(rows.map(({ lastCheckedAtMs }) => lastCheckedAtMs - startMs)).toEqual([0, 100]);
});

test("an hour is rolled up after it is closed and settled, and again when a late row touches it", async () => {
  const slotMs = startMs + 10 * 60_000;
  clock.advance(11 * 60_000);
  await store([resultOf({ monitorId: 1, slotMs })]);
  expect(await roll()).toBe(0);
  clock.advance(hourMs - 11 * 60_000 + 60_000);
  expect(await roll()).toBe(0);
  clock.advance(60_000);
  expect(await roll()).toBe(1);
  expect(await roll()).toBe(0);
  await store([failureOf({ monitorId: 1, slotMs: slotMs + 60_000 })]);
  expect(await roll()).toBe(1);
  expect(await hours()).toMatchObject([{ seen: 2, up: 1 }]);
});

test("a rollup binds no parameters, which would block reads of the embedded engine", async () => {
  await store([resultOf({ monitorId: 1, slotMs: startMs })]);
  clock.advance(2 * hourMs);
  const commands = vi.spyOn(server.clickhouse.writer, "command");
  await roll();
  const inserts = commands.mock.calls.map(([given]) => given).filter(({ query }) => query.startsWith("INSERT"));
  commands.mockRestore();
  expect(inserts.map(({ query }) => query.split(" ")[2])).toEqual(["check_hours", "check_days"]);
  expect(inserts.every(({ query_params: bound }) => bound === undefined)).toBe(true);
});

test("marks survive the process that wrote them", async () => {
  await store([resultOf({ monitorId: 1, slotMs: startMs })]);
  writer = createWriter({ clock, isDeleted: () => false });
  clock.advance(2 * hourMs);
  expect(await roll()).toBe(1);
});

test("a new revision wins even if the server's clock was set back", async () => {
  await store([resultOf({ monitorId: 1, slotMs: startMs })]);
  clock.advance(2 * hourMs);
  await roll();
  await server.clickhouse.writer.command({
    query: `INSERT INTO check_hours SELECT * REPLACE (revision + 1000000000000 AS revision, toUInt32(7) AS seen) FROM check_hours`,
  });
  await store([resultOf({ monitorId: 1, slotMs: startMs + 60_000 })]);
  await roll();
  expect(await hours()).toMatchObject([{ seen: 2 }]);
});

test("manual checks are stored with slots but never counted", async () => {
  await store([
    resultOf({ monitorId: 1, slotMs: startMs }),
    failureOf({ monitorId: 1, slotMs: startMs, manual: true }),
    failureOf({ monitorId: 1, slotMs: startMs + 5, manual: true }),
  ]);
  clock.advance(2 * hourMs);
  await roll();
  expect(await rowsOf(server.clickhouse, "SELECT count() AS n FROM checks FINAL")).toEqual([{ n: 3 }]);
  expect(await hours()).toMatchObject([{ seen: 1, up: 1 }]);
});

test("the run of a slot that began last counts, in any order of arrival", async () => {
  const late = failureOf({ monitorId: 1, slotMs: startMs, latenessMs: 900 });
  await store([late]);
  await store([resultOf({ monitorId: 1, slotMs: startMs })]);
  clock.advance(2 * hourMs);
  await roll();
  expect(await hours()).toMatchObject([{ seen: 1, up: 0 }]);
});
