import { create } from "@bufbuild/protobuf";
import { TimingsSchema } from "@sonde/proto/gen/checks/v1/checks";
import { expect, test } from "vitest";
import { failureOf, resultOf } from "../testing/results.ts";
import { checkColumns, rowProblem, toRow } from "./row.ts";

const slotMs = 1_750_000_000_123;
const column = (row: ReturnType<typeof toRow>, name: (typeof checkColumns)[number]) => row[checkColumns.indexOf(name)];

test("durations are stored in tenths of a millisecond, and slow checks are not capped", () => {
  const row = toRow(resultOf({ monitorId: 1, slotMs, responseTimeMs: 61_234.56 }));
  expect(column(row, "total")).toBe(612_346);
  expect(column(row, "dns")).toBe(12);
  expect(row).toHaveLength(checkColumns.length);
});

test("a phase that does not exist differs from one that took no time", () => {
  const row = toRow(resultOf({ monitorId: 1, slotMs, timings: create(TimingsSchema, { connectMs: 0, totalMs: 3 }) }));
  expect(column(row, "dns")).toBe(0xffffffff);
  expect(column(row, "connect")).toBe(0);
  const endless = toRow(
    resultOf({ monitorId: 1, slotMs, timings: create(TimingsSchema, { dnsMs: 1e12, totalMs: 3 }) }),
  );
  expect(column(endless, "dns")).toBe(0xfffffffe);
});

test("a re-check's start is stored separately from the first attempt's lateness", () => {
  const row = toRow(failureOf({ monitorId: 1, slotMs, latenessMs: 12, startedAtMs: slotMs + 2_050 }));
  expect(column(row, "lateness")).toBe(12);
  expect(column(row, "recheck_after")).toBe(2_038);
});

test("negative and excessive values are clamped to the column's range", () => {
  const row = toRow(resultOf({ monitorId: 1, slotMs, latenessMs: -5, startedAtMs: 0, attempt: 900, statusCode: 1e6 }));
  expect(column(row, "lateness")).toBe(0);
  expect(column(row, "recheck_after")).toBe(0);
  expect(column(row, "attempt")).toBe(255);
  expect(column(row, "status_code")).toBe(65_535);
});

test("messages are clipped to 300 bytes, without splitting a character", () => {
  const row = toRow(failureOf({ monitorId: 1, slotMs, message: `${"x".repeat(296)}😀😀` }));
  expect(column(row, "error")).toBe(`${"x".repeat(296)}…`);
});

test.each([
  [{ monitorId: 0 }, "no monitor"],
  [{ location: "" }, "no location"],
  [{ status: "fine" }, "unknown status"],
  [{ slotMs: Number.NaN }, "slotMs is not a number"],
  [{ responseTimeMs: Number.POSITIVE_INFINITY }, "responseTimeMs is not a number"],
  [{ timings: create(TimingsSchema, { dnsMs: 1, firstByteMs: Number.NaN }) }, "firstByteMs is not a number"],
  [{ slotMs: -1 }, "slot before 1970"],
])("%o is refused: %s", (fields, problem) => {
  expect(rowProblem(resultOf({ monitorId: 1, slotMs, ...fields }))).toBe(problem);
  expect(rowProblem(resultOf({ monitorId: 1, slotMs }))).toBeNull();
});
