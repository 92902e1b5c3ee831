import { create, toBinary } from "@bufbuild/protobuf";
import { CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { expect, test } from "vitest";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";
import { readBatch } from "./batch.ts";

const nowMs = 1_750_000_000_000;
const dayMs = 86_400_000;
const read = (bytes: Uint8Array) => readBatch(bytes, { nowMs, rawDays: 30 });

test("bytes that are not a batch are an error; an empty batch is valid", () => {
  expect(read(new Uint8Array([0x0a, 0xff])).problem).toBe("not a batch of results");
  expect(read(batchOf([]))).toEqual({
    results: [],
    paths: [],
    striking: false,
    isEarly: false,
    refused: { old: 0, future: 0 },
    problem: null,
  });
});

test("valid results of a batch are accepted even if another is invalid", () => {
  const good = resultOf({ monitorId: 5, slotMs: nowMs });
  const { results, problem } = read(batchOf([good, resultOf({ monitorId: 0, slotMs: nowMs })]));
  expect(results.map(({ monitorId }) => monitorId)).toEqual([5]);
  expect(problem).toBe("result 1: no monitor");
});

test("a result from another location than its message is invalid", () => {
  const from = (location: string) => resultOf({ monitorId: 5, slotMs: nowMs, location });
  const { results, problem } = readBatch(batchOf([from("us1"), from("eu1")]), { nowMs, rawDays: 30, location: "eu1" });
  expect(results.flatMap(({ row }) => row)).toContain("eu1");
  expect(results).toHaveLength(1);
  expect(problem).toBe("result 0: another location's result");
});

test("a result of a monitor that is not checked at its location is invalid", () => {
  const results = [resultOf({ monitorId: 5, slotMs: nowMs }), resultOf({ monitorId: 6, slotMs: nowMs })];
  const isCheckedAt = (monitorId: number) => monitorId === 6;
  const batch = readBatch(batchOf(results), { nowMs, rawDays: 30, isCheckedAt });
  expect(batch.results.map(({ monitorId }) => monitorId)).toEqual([6]);
  expect([batch.problem, batch.isEarly]).toEqual(["result 0: another location's monitor", true]);
});

test("slots near the end of raw retention, or over an hour ahead, are refused", () => {
  const at = (slotMs: number) => resultOf({ monitorId: 1, slotMs });
  const { results, refused } = read(
    batchOf([at(nowMs - 29 * dayMs - 1), at(nowMs - 29 * dayMs), at(nowMs + 3_600_000), at(nowMs + 3_600_001)]),
  );
  expect(results).toHaveLength(2);
  expect(refused).toEqual({ old: 1, future: 1 });
});

test("failures and manual checks are striking", () => {
  const strikes = (...results: ReturnType<typeof resultOf>[]) => read(batchOf(results)).striking;
  const fields = { monitorId: 1, slotMs: nowMs };
  expect(strikes(resultOf(fields))).toBe(false);
  expect(strikes(resultOf(fields), failureOf(fields))).toBe(true);
  expect(strikes(resultOf({ ...fields, manual: true }))).toBe(true);
});

test("second opinions are never stored", () => {
  const opinion = create(CheckResultSchema, { monitorId: 5, location: "us1", status: "down", confirms: nowMs });
  const opinions = toBinary(ResultBatchSchema, create(ResultBatchSchema, { opinions: [opinion] }));
  expect(read(opinions)).toMatchObject({ results: [], striking: false, problem: null });
  const beside = Buffer.concat([opinions, batchOf([resultOf({ monitorId: 7, slotMs: nowMs })])]);
  expect(read(beside).results.map(({ monitorId }) => monitorId)).toEqual([7]);
});
