import { fakeClock } from "@sonde/kit/time/clock";
import { AppError } from "@sonde/kit/errors";
import { expect, test } from "vitest";
import { createRate, unitsOf } from "./limits.ts";
import { unreadShare } from "./pressure.ts";

test("an agent may report as often a minute as it is allowed, and another is not held up by it", () => {
  const clock = fakeClock();
  const rate = createRate<number>(clock, 60, "At most {max} reports a minute");
  const refused = () => {
    try {
      rate.take(1);
      return null;
    } catch (error) {
      return error instanceof AppError ? [error.code, error.retryAfterSeconds] : error;
    }
  };
  for (let count = 0; count < 60; count++) expect(refused()).toBeNull();
  expect(refused()).toEqual(["too_many", 1]);
  rate.take(2);
  clock.advance(1000);
  expect(refused()).toBeNull();
  expect(refused()).toEqual(["too_many", 1]);
  clock.advance(3_600_000);
  for (let count = 0; count < 60; count++) expect(refused()).toBeNull();
  expect(refused()).not.toBeNull();
});

test("looking whether one may takes nothing", () => {
  const rate = createRate<string>(fakeClock(), 1, "Too many requests, please try again later");
  for (let count = 0; count < 5; count++) rate.check("a");
  rate.take("a");
  expect(() => rate.check("a")).toThrow("Too many requests");
  rate.check("b");
});

test("a full stream that everybody has read has room; what counts is what its slowest reader has not read", () => {
  const full = { bytes: 1000, messages: 100, maxBytes: 1000 };
  expect(unreadShare(full, [0, 5])).toBe(0.05);
  expect(unreadShare(full, [0, 90])).toBe(0.9);
  expect(unreadShare(full, [])).toBe(1);
  expect(unreadShare({ ...full, messages: 0 }, [])).toBe(0);
});

test("a large report counts as several, may be owed, and who owes is refused the next large one", () => {
  const clock = fakeClock();
  const rate = createRate<number>(clock, 60, "At most {max} reports a minute");
  rate.take(1);
  rate.charge(1, 89);
  expect(() => rate.charge(1, 1)).toThrow("At most 60 reports a minute");
  expect(() => rate.take(1)).toThrow("At most 60 reports a minute");
  rate.charge(2, 1);
  clock.advance(30_000);
  expect(() => rate.take(1)).toThrow();
  clock.advance(1_000);
  rate.take(1);
});

test("a report counts once for each 64 KiB and for each hundred samples that it has begun", () => {
  expect([unitsOf(0, 1), unitsOf(65_536, 100), unitsOf(65_537, 1), unitsOf(1, 101)]).toEqual([1, 1, 2, 2]);
  expect(unitsOf(4 * 2 ** 20, 500)).toBe(64);
});
