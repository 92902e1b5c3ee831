import { fakeClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { dayMs, dayOf, hourMs } from "../rollups/instants.ts";
import { retention, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, randomOf, resultOf } from "../testing/results.ts";
import { checksAroundFailures } from "./around-failures.ts";

const minuteMs = 60_000;
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs;
const clock = fakeClock(nowMs);
const [beforeMs, afterMs] = [4 * minuteMs, 10 * minuteMs];
let server: TestClickHouse;
beforeAll(async () => void (server = await startClickHouse()));
afterAll(() => server.stop());

async function read(monitorId: number, results: readonly CheckResult[], fromMs = nowMs - 20 * dayMs) {
  const writer = createWriter({ clock, isDeleted: () => false });
  await writer.write(server.clickhouse.writer, [readBatch(batchOf(results), { nowMs, rawDays: 31 })]);
  const ctx = { clock, retention, read: server.access.read };
  return checksAroundFailures(ctx, { monitorId, fromMs, beforeMs, afterMs });
}

test("failures, the checks around them at all locations, and fourteen successes after a gap are returned", async () => {
  const random = randomOf(3);
  const results: CheckResult[] = [];
  for (let nth = 2_000; nth > 0; nth--) {
    // Failures are rare, and no check ran for hours after each fifth of the period.
    if (nth % 400 > 250) continue;
    const slotMs = nowMs - nth * minuteMs;
    for (const location of ["east", "west"]) {
      const make = random() < 0.01 || nth % 400 === 1 ? failureOf : resultOf;
      results.push(make({ monitorId: 1, slotMs, location, responseTimeMs: nth }));
    }
  }
  const failed = results.flatMap(({ status, slotMs }) => (status === "down" ? [slotMs] : []));
  const expected = results.filter((result) => {
    const { slotMs, location, status } = result;
    const last = failed.findLast((ms) => ms <= slotMs) ?? -Infinity;
    const next = failed.find((ms) => ms >= slotMs) ?? Infinity;
    const since = results.filter((other) => other.location === location && other.slotMs >= last);
    const nth = since.indexOf(result) + 1;
    const isKept = last > 0 && (slotMs - last <= afterMs || nth <= 14);
    return status === "down" || isKept || next - slotMs <= beforeMs;
  });
  const { fromMs, locations } = await read(1, results);
  expect(fromMs).toBe(nowMs - 20 * dayMs);
  expect(expected.length).toBeLessThan(results.length / 2);
  const packed = ({ slotMs, responseTimeMs, status }: CheckResult) =>
    status === "up" ? [slotMs, 3, responseTimeMs, 1, 0, 1, 0] : [slotMs, 3, responseTimeMs, 0, 2, 1, 0];
  const checksOf = (name: string) => expected.filter(({ location }) => location === name).map(packed);
  expect(locations).toEqual(["east", "west"].map((location) => ({ location, checks: checksOf(location) })));
});

test("a monitor that never fails has none, and the period starts at the retention of single checks", async () => {
  const results = [1, 2, 3].map((nth) => resultOf({ monitorId: 2, slotMs: nowMs - nth * minuteMs }));
  expect(await read(2, results, 0)).toEqual({ fromMs: nowMs - retention.rawDays * dayMs, locations: [] });
});

test("of too many, the newest are returned, from a later start", async () => {
  const results = Array.from({ length: 12_100 }, (_, nth) =>
    failureOf({ monitorId: 3, slotMs: nowMs - nth * minuteMs }),
  );
  const { fromMs, locations } = await read(3, results);
  const [{ checks } = { checks: [] }] = locations;
  expect(fromMs).toBe(nowMs - 11_999 * minuteMs);
  expect([checks.length, checks[0]?.[0], checks.at(-1)?.[0]]).toEqual([12_000, fromMs, nowMs]);
});
