import { expect, test } from "vitest";
import { batchBytes, largestMessageBytes, packEntries } from "./pack.ts";

const entry = (bytes: number, fill: number) => new Uint8Array(bytes).fill(fill);

test("entries are packed in order into messages within the limit", () => {
  const { messages, tooLarge } = packEntries([entry(40, 1), entry(40, 2), entry(30, 3), entry(100, 4)], 100);
  expect(messages.map(({ bytes, entries }) => [bytes.length, entries])).toEqual([
    [80, 2],
    [30, 1],
    [100, 1],
  ]);
  expect(messages.flatMap(({ bytes }) => [...new Set(bytes)])).toEqual([1, 2, 3, 4]);
  expect(tooLarge).toBe(0);
});

test("an entry above the limit is dropped and counted, and others are packed", () => {
  const { messages, tooLarge } = packEntries([entry(10, 1), entry(101, 2), entry(10, 3)], 100);
  expect(messages.map(({ entries }) => entries)).toEqual([2]);
  expect(tooLarge).toBe(1);
});

test("without entries there are no messages", () => {
  expect(packEntries([], 100)).toEqual({ messages: [], tooLarge: 0 });
});

test("messages leave room for headers below the server's limit", () => {
  expect(largestMessageBytes({ info: { max_payload: 65_536 } })).toBe(61_440);
  expect(batchBytes({ info: { max_payload: 65_536 } })).toBe(61_440);
  expect(batchBytes({})).toBe(256 * 1024);
});
