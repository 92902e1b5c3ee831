import { fakeClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "./context.ts";
import { readBatch } from "./ingest/batch.ts";
import { createWriter } from "./ingest/write.ts";
import { latestPhases } from "./latest-phases.ts";
import { noMaintenance, retention, startClickHouse, type TestClickHouse } from "./testing/clickhouse.ts";
import { batchOf, failureOf, resultOf } from "./testing/results.ts";

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

test("phases are those of the newest successful check within 15 minutes", async () => {
  const at = (monitorId: number, minutesAgo: number, responseTimeMs: number) =>
    resultOf({ monitorId, slotMs: nowMs - minutesAgo * minuteMs, responseTimeMs });
  const batch = batchOf([
    at(1, 5, 50),
    at(1, 2, 20.5),
    failureOf({ monitorId: 1, slotMs: nowMs - minuteMs, responseTimeMs: 900 }),
    at(2, 20, 30),
    at(3, 1, 7),
  ]);
  await createWriter({ clock, isDeleted: () => false }).write(server.clickhouse.writer, [
    readBatch(batch, { nowMs, rawDays: 31 }),
  ]);
  const found = await latestPhases(ctx, [1, 2, 3]);
  expect(found.toSorted((left, right) => left.monitorId - right.monitorId)).toMatchObject([
    { monitorId: 1, totalMs: 20.5 },
    { monitorId: 3, totalMs: 7 },
  ]);
  expect(await latestPhases(ctx, [])).toEqual([]);
});
