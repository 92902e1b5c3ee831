import { AppError } from "../errors.ts";
import { fakeClock } from "../time/clock.ts";
import { expect, test } from "vitest";
import { createRate } from "./rate.ts";

test("an agent may report at its rate per minute, independently of others", () => {
  const clock = fakeClock();
  const rate = createRate<number>(clock, 60, "At most {max} reports per minute");
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

test("a check takes no token", () => {
  const rate = createRate<string>(fakeClock(), 1, "Too many requests, please try again later");
  for (let count = 0; count < 5; count++) rate.check("a");
  rate.take("a");
  expect(() => rate.check("a")).toThrow("Too many requests");
  rate.check("b");
});

test("a large report counts as several, may go into debt, and then further large ones are refused", () => {
  const clock = fakeClock();
  const rate = createRate<number>(clock, 60, "At most {max} reports per minute");
  rate.take(1);
  rate.charge(1, 89);
  expect(() => rate.charge(1, 1)).toThrow("At most 60 reports per minute");
  expect(() => rate.take(1)).toThrow("At most 60 reports per minute");
  rate.charge(2, 1);
  clock.advance(30_000);
  expect(() => rate.take(1)).toThrow();
  clock.advance(1_000);
  rate.take(1);
});

test("a burst limit below the rate per minute restricts immediate calls", () => {
  const clock = fakeClock();
  const rate = createRate<number>(clock, 60, "Too many requests, please try again later", 2);
  for (let minute = 0; minute < 2; minute++) {
    rate.take(1);
    rate.take(1);
    expect(() => rate.take(1)).toThrow("Too many requests");
    clock.advance(60_000);
  }
  for (let second = 0; second < 60; second++) {
    rate.take(1);
    clock.advance(1_000);
  }
});
