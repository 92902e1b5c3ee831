import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Context } from "../context.ts";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { dayMs, dayOf, hourMs } from "../rollups/instants.ts";
import { noMaintenance, retention, rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";
import { deleteRowsOf, startDeletions } from "../timelines/deletion.ts";
import { listFailedChecks } from "./list.ts";

const minuteMs = 60_000;
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs;
const clock = fakeClock(nowMs);
let server: TestClickHouse;
let ctx: Context;

beforeAll(async () => {
  server = await startClickHouse();
  const timelines = { get: () => undefined };
  ctx = { clock, retention, timelines, maintenance: noMaintenance, read: server.access.read };
});
afterAll(() => server.stop());

async function store(results: readonly CheckResult[], isInMaintenance?: () => boolean): Promise<void> {
  const writer = createWriter({ clock, isDeleted: () => false, isInMaintenance });
  await writer.write(server.clickhouse.writer, [readBatch(batchOf(results), { nowMs, rawDays: 31 })]);
}

async function pagesOf(monitorId: number, limit: number): Promise<CheckResult[][]> {
  const pages: CheckResult[][] = [];
  for (let beforeMs: number | undefined; ; beforeMs = pages.at(-1)?.at(-1)?.slotMs) {
    const page = await listFailedChecks(ctx, { monitorId, beforeMs, limit });
    if (page.length === 0) return pages;
    pages.push(page);
  }
}

test("failures are listed newest first, page by page, without successful checks", async () => {
  const slots = Array.from({ length: 400 }, (_, index) => nowMs - 20 * dayMs + index * hourMs);
  const results = slots.map((slotMs, index) =>
    index % 7 === 0
      ? failureOf({ monitorId: 1, slotMs, message: `failure ${index}` })
      : resultOf({ monitorId: 1, slotMs }),
  );
  await store(results);
  const failed = results.filter(({ status }) => status === "down").toReversed();
  const pages = await pagesOf(1, 10);
  expect(pages.flat().map(({ slotMs }) => slotMs)).toEqual(failed.map(({ slotMs }) => slotMs));
  expect(pages.slice(0, -1).every((page) => page.length === 10)).toBe(true);
  expect(pages[0]?.[0]).toMatchObject({
    status: "down",
    error: { kind: "status", message: failed[0]?.error?.message },
  });
});

test("manual checks and checks in maintenance are included", async () => {
  await store([failureOf({ monitorId: 2, slotMs: nowMs - 3 * minuteMs })], () => true);
  await store([
    failureOf({ monitorId: 2, slotMs: nowMs - 2 * minuteMs, manual: true }),
    resultOf({ monitorId: 2, slotMs: nowMs - minuteMs, manual: true }),
  ]);
  expect(await listFailedChecks(ctx, { monitorId: 2, limit: 10 })).toMatchObject([
    { manual: true, inMaintenance: false },
    { manual: false, inMaintenance: true },
  ]);
});

test("the last run of a slot decides", async () => {
  const [first, second, third] = [nowMs - 3 * minuteMs, nowMs - 2 * minuteMs, nowMs - minuteMs];
  await store([first, second].map((slotMs) => failureOf({ monitorId: 3, slotMs })));
  await store([resultOf({ monitorId: 3, slotMs: second, latenessMs: 900 }), resultOf({ monitorId: 3, slotMs: third })]);
  await store([failureOf({ monitorId: 3, slotMs: third, latenessMs: 900 })]);
  const listed = await listFailedChecks(ctx, { monitorId: 3, limit: 10 });
  expect(listed.map(({ slotMs }) => slotMs)).toEqual([third, first]);
  // Slots that turn out to be successful do not shorten the page.
  expect((await pagesOf(3, 1)).flat().map(({ slotMs }) => slotMs)).toEqual([third, first]);
});

test("failures of one slot at several locations are not split between pages", async () => {
  const slots = [1, 2, 3].map((minutes) => nowMs - minutes * minuteMs);
  const locations = ["asia", "east", "west"];
  await store(slots.flatMap((slotMs) => locations.map((location) => failureOf({ monitorId: 4, slotMs, location }))));
  await store([resultOf({ monitorId: 4, slotMs: slots[1]!, location: "west", latenessMs: 900 })]);
  const pages = await pagesOf(4, 2);
  expect(pages.map((page) => page.map(({ location }) => location))).toEqual([locations, ["asia", "east"], locations]);
});

test("three failures among 40,000 checks are found without reading the rest", async () => {
  const failed = [60, 20_000, 40_000].map((nth) => nowMs - nth * minuteMs);
  await server.clickhouse.writer.command({
    query: `INSERT INTO checks (monitor_id, location, slot, lateness, up, status_code, total, attempt, version, runner)
      SELECT 5, 'default', fromUnixTimestamp64Milli(${nowMs} - 60000 * number, 'UTC') AS at, 1,
        toUnixTimestamp64Milli(at) NOT IN (${failed.join()}), 200, 500, 1, 1, 'runner-1' FROM numbers(40300)`,
  });
  const query = vi.spyOn(server.clickhouse.reader, "query");
  const listed = await listFailedChecks(ctx, { monitorId: 5, limit: 50 });
  const queries = query.mock.calls.map(([given]) => given);
  query.mockRestore();
  expect(listed.map(({ slotMs }) => slotMs)).toEqual(failed);
  let rowsRead = 0;
  for (const given of queries) {
    const answer = await server.clickhouse.reader.query({ ...given, format: "JSON" });
    rowsRead += (await answer.json()).statistics?.rows_read ?? Number.NaN;
  }
  // Bound: three days of one check a minute, plus other tests' monitors on these days.
  expect(rowsRead).toBeGreaterThan(0);
  expect(rowsRead).toBeLessThan(10_000);
});

test("a failure is indexed once even if its check is stored repeatedly", async () => {
  const failure = failureOf({ monitorId: 6, slotMs: nowMs - minuteMs });
  await store([failure]);
  await store([failure]);
  expect(
    await rowsOf(server.clickhouse, "SELECT count() AS noted FROM failed_checks FINAL WHERE monitor_id = 6"),
  ).toEqual([{ noted: 1 }]);
  expect(await listFailedChecks(ctx, { monitorId: 6, limit: 10 })).toHaveLength(1);
});

test("failures of a deleted monitor are deleted as well", async () => {
  await store([7, 8].map((monitorId) => failureOf({ monitorId, slotMs: nowMs - minuteMs })));
  const deletions = startDeletions({ access: server.access, log: silentLog, remove: deleteRowsOf("monitors") });
  deletions.add(7);
  const noted = () =>
    rowsOf(
      server.clickhouse,
      "SELECT monitor_id AS id FROM failed_checks FINAL WHERE monitor_id IN (7, 8) ORDER BY id",
    );
  await vi.waitFor(async () => expect(await noted()).toEqual([{ id: 8 }]), { timeout: 30_000 });
  await deletions.stop();
});
