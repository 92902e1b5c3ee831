import { create, toBinary } from "@bufbuild/protobuf";
import { CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { expect, test } from "vitest";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";
import { readBatch } from "./batch.ts";

const nowMs = 1_750_000_000_000;
const dayMs = 86_400_000;
const read = (bytes: Uint8Array) => readBatch(bytes, { nowMs, rawDays: 30 });

test("bytes that are no batch are a fault, an empty batch is none", () => {
  expect(read(new Uint8Array([0x0a, 0xff])).fault).toBe("not a batch of results");
  expect(read(batchOf([]))).toEqual({ results: [], striking: false, refused: { old: 0, future: 0 }, fault: null });
});

test("good results of a batch are taken beside a faulty one", () => {
  const good = resultOf({ monitorId: 5, slotMs: nowMs });
  const { results, fault } = read(batchOf([good, resultOf({ monitorId: 0, slotMs: nowMs })]));
  expect(results.map(({ monitorId }) => monitorId)).toEqual([5]);
  expect(fault).toBe("result 1: no monitor");
});

test("a result of another location than its message is a fault", () => {
  const from = (location: string) => resultOf({ monitorId: 5, slotMs: nowMs, location });
  const { results, fault } = readBatch(batchOf([from("us1"), from("eu1")]), { nowMs, rawDays: 30, location: "eu1" });
  expect(results.flatMap(({ row }) => row)).toContain("eu1");
  expect(results).toHaveLength(1);
  expect(fault).toBe("result 0: another location's result");
});

test("slots older than raw retention less a day, or an hour ahead, are refused", () => {
  const at = (slotMs: number) => resultOf({ monitorId: 1, slotMs });
  const { results, refused } = read(
    batchOf([at(nowMs - 29 * dayMs - 1), at(nowMs - 29 * dayMs), at(nowMs + 3_600_000), at(nowMs + 3_600_001)]),
  );
  expect(results).toHaveLength(2);
  expect(refused).toEqual({ old: 1, future: 1 });
});

test("failures and checks that were asked for are striking", () => {
  const strikes = (...results: ReturnType<typeof resultOf>[]) => read(batchOf(results)).striking;
  const fields = { monitorId: 1, slotMs: nowMs };
  expect(strikes(resultOf(fields))).toBe(false);
  expect(strikes(resultOf(fields), failureOf(fields))).toBe(true);
  expect(strikes(resultOf({ ...fields, manual: true }))).toBe(true);
});

test("second opinions are stored nowhere, whatever is in their message", () => {
  const opinion = create(CheckResultSchema, { monitorId: 5, location: "us1", status: "down", confirms: nowMs });
  const opinions = toBinary(ResultBatchSchema, create(ResultBatchSchema, { opinions: [opinion] }));
  expect(read(opinions)).toMatchObject({ results: [], striking: false, fault: null });
  const beside = Buffer.concat([opinions, batchOf([resultOf({ monitorId: 7, slotMs: nowMs })])]);
  expect(read(beside).results.map(({ monitorId }) => monitorId)).toEqual([7]);
});
