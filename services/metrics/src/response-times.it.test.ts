import { fakeClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "./context.ts";
import { readBatch } from "./ingest/batch.ts";
import { createWriter } from "./ingest/write.ts";
import { dayMs } from "./rollups/instants.ts";
import { noMaintenance, retention, startClickHouse, type TestClickHouse } from "./testing/clickhouse.ts";
import { batchOf, failureOf, resultOf } from "./testing/results.ts";
import { monitorResponseTimes } from "./response-times.ts";

const nowMs = Date.now();
const minuteMs = 60_000;
const clock = fakeClock(nowMs);
let server: TestClickHouse;
let ctx: Context;
beforeAll(async () => {
  server = await startClickHouse();
  ctx = { clock, retention, timelines: new Map(), maintenance: noMaintenance, read: server.access.read };
});
afterAll(() => server.stop());

test("returns the 95th percentile of the last 24 hours, including failed checks, without manual and older ones", async () => {
  const slotOf = (index: number) => nowMs - (index + 1) * 10 * minuteMs;
  // 1 to 100 ms, and a failure with 101 ms: 96 of them do not exceed the 95th percentile.
  const results = Array.from({ length: 100 }, (_, index) =>
    resultOf({ monitorId: 1, slotMs: slotOf(index), responseTimeMs: index + 1 }),
  );
  const batch = batchOf([
    ...results,
    failureOf({ monitorId: 1, slotMs: slotOf(100), responseTimeMs: 101 }),
    resultOf({ monitorId: 1, slotMs: slotOf(101), responseTimeMs: 9000, manual: true }),
    resultOf({ monitorId: 1, slotMs: nowMs - dayMs - minuteMs, responseTimeMs: 9000 }),
    resultOf({ monitorId: 2, slotMs: nowMs - dayMs - minuteMs, responseTimeMs: 9000 }),
    resultOf({ monitorId: 3, slotMs: slotOf(0), responseTimeMs: 7.5 }),
  ]);
  await createWriter({ clock, isDeleted: () => false }).write(server.clickhouse.writer, [
    readBatch(batch, { nowMs, rawDays: 31 }),
  ]);
  const found = await monitorResponseTimes(ctx, [1, 2, 3, 3]);
  expect(found.toSorted((left, right) => left.monitorId! - right.monitorId!)).toEqual([
    { monitorId: 1, p95Ms: 96 },
    { monitorId: 3, p95Ms: 7.5 },
  ]);
});

test("without monitors nothing is read", async () => {
  expect(await monitorResponseTimes(ctx, [])).toEqual([]);
});
