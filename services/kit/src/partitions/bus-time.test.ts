import { fakeClock } from "../time/clock.ts";
import { expect, test } from "vitest";
import { createBusTime } from "./observing.ts";

test("the bus's clock is believed where ours is slow", () => {
  const clock = fakeClock();
  const time = createBusTime(clock);

  expect(time.steppedBack()).toBe(false);
  expect(time.storedAtMs(clock.now() + 7_200_000)).toBe(clock.now() + 7_200_000);
});

test("what was stored before our clock was set back counts as stored now, and what comes from a bus that was not set back does not", () => {
  const clock = fakeClock();
  const time = createBusTime(clock);
  const storedMs = clock.now() - 1_000;
  clock.step(-7_200_000);
  clock.advance(1_000);

  expect(time.steppedBack()).toBe(true);
  expect(time.storedAtMs(storedMs)).toBe(clock.now());
  expect(time.storedAtMs(storedMs + 60_000)).toBe(storedMs + 60_000);
});

test("a message that was stored earlier than the one before it shows that the bus's clock was set back", () => {
  const time = createBusTime(fakeClock());

  expect([5_000, 9_000, 8_500, 2_000, 3_000].map(time.busSteppedBack)).toEqual([false, false, false, true, false]);
});
