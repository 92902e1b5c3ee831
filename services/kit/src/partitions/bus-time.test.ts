import { fakeClock } from "../time/clock.ts";
import { expect, test } from "vitest";
import { createBusTime } from "./observing.ts";

test("the bus's clock is used if ours is slow", () => {
  const clock = fakeClock();
  const time = createBusTime(clock);

  expect(time.steppedBack()).toBe(false);
  expect(time.storedAtMs(clock.now() + 7_200_000)).toBe(clock.now() + 7_200_000);
});

test("messages stored before our clock was set back count as stored now, unless the bus's clock was set back, too", () => {
  const clock = fakeClock();
  const time = createBusTime(clock);
  const storedMs = clock.now() - 1_000;
  clock.step(-7_200_000);
  clock.advance(1_000);

  expect(time.steppedBack()).toBe(true);
  expect(time.storedAtMs(storedMs)).toBe(clock.now());
  expect(time.storedAtMs(storedMs + 60_000)).toBe(storedMs + 60_000);
});

test("a message older than its predecessor reveals that the bus's clock was set back", () => {
  const time = createBusTime(fakeClock());

  expect([5_000, 9_000, 8_500, 2_000, 3_000].map(time.busSteppedBack)).toEqual([false, false, false, true, false]);
});
