import type { ClickHouseClient } from "@clickhouse/client";
import { fakeClock } from "@sonde/kit/time/clock";
import { beforeEach, expect, test } from "vitest";
import type { SpanFigures } from "../rollups/merge.ts";
import { keepFigures } from "./kept.ts";
import type { FiguresQuery, ReadFigures } from "./store.ts";

const client = {} as ClickHouseClient;
let clock: ReturnType<typeof fakeClock>;
let asked: number[];
let read: ReadFigures;
let answer: () => Promise<SpanFigures[]>;

beforeEach(() => {
  clock = fakeClock(0);
  asked = [];
  answer = async () => [];
  read = keepFigures((_client, { monitorId }) => {
    asked.push(monitorId);
    return answer();
  }, clock);
});

const ask = (monitorId: number, rawHours: number[] = [0]) =>
  read(client, { monitorId, fromMs: 0, toMs: 1, rawHours, hourDays: [] } satisfies FiguresQuery);

test("what was asked for already is read once, until it is five minutes old", async () => {
  await ask(1);
  clock.advance(299_000);
  await ask(1);
  expect(asked).toEqual([1]);
  clock.advance(1_000);
  await ask(1);
  expect(asked).toEqual([1, 1]);
});

test("another monitor is read, and one of whose hours another is not rolled up any more or yet", async () => {
  await ask(1);
  await ask(2);
  await ask(1, [0, 3_600_000]);
  expect(asked).toEqual([1, 2, 1]);
});

test("of many those are kept that were asked for last", async () => {
  for (let id = 1; id <= 20; id++) await ask(id);
  await ask(1);
  await ask(21);
  asked = [];
  await ask(1);
  await ask(2);
  expect(asked).toEqual([2]);
});

test("a rejection is told to who waits for it, and not kept", async () => {
  answer = async () => {
    throw new Error("away");
  };
  await expect(Promise.all([ask(1), ask(1)])).rejects.toThrow("away");
  answer = async () => [];
  expect(await ask(1)).toEqual([]);
  expect(asked).toEqual([1, 1]);
});
