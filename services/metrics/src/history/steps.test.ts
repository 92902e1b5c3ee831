import { expect, test } from "vitest";
import { stepsOf } from "./steps.ts";

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const nowMs = Date.UTC(2026, 2, 29, 1, 17, 30);

test("24 hours are 288 steps of five minutes, the last one holding the present", () => {
  const { fromMs, stepMs, count } = stepsOf("24h", minuteMs, nowMs);
  expect({ stepMs, count }).toEqual({ stepMs: 5 * minuteMs, count: 288 });
  expect(fromMs + (count - 1) * stepMs).toBe(Date.UTC(2026, 2, 29, 1, 15));
});

test("30 days are 30 UTC days up to today", () => {
  expect(stepsOf("30d", minuteMs, nowMs)).toEqual({ fromMs: Date.UTC(2026, 1, 28), stepMs: dayMs, count: 30 });
});

test.each([
  ["24h", 5, 5, 288],
  ["24h", 7, 10, 144],
  ["24h", 60, 60, 24],
  ["24h", 1_440, 1_440, 1],
  ["24h", 10_000, 10_000, 1],
  ["30d", 1_441, 2_880, 15],
  ["30d", 60_000, 60_480, 1],
] as const)("over %s an interval of %i minutes makes steps of %i, %i of them", (range, interval, step, count) => {
  const steps = stepsOf(range, interval * minuteMs, nowMs);
  expect(steps.stepMs / minuteMs).toBe(step);
  expect(steps.count).toBe(count);
  expect(steps.fromMs % steps.stepMs).toBe(0);
  expect(steps.fromMs + steps.count * steps.stepMs).toBeGreaterThan(nowMs);
});

test("an interval that is no number counts as none, and an endless one as 400 days", () => {
  expect(stepsOf("24h", Number.NaN, nowMs).stepMs).toBe(5 * minuteMs);
  expect(stepsOf("24h", -1, nowMs).stepMs).toBe(5 * minuteMs);
  expect(stepsOf("30d", Number.POSITIVE_INFINITY, nowMs)).toMatchObject({ stepMs: 400 * dayMs, count: 1 });
});
