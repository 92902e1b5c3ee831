import { fakeClock } from "../time/clock.ts";
import { expect, test } from "vitest";
import { createObservedSince } from "./observing.ts";

/** Ticks every second for a while. */
function watch() {
  const clock = fakeClock();
  const observedSince = createObservedSince(clock);
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000);
      observedSince.tick();
    }
  };
  const startMs = clock.now();
  return { clock, observedSince, pass, startMs };
}

test("silence counts from the start while ticks are regular", () => {
  const { observedSince, pass, startMs } = watch();
  pass(60);
  expect(observedSince.sinceMs()).toBe(startMs);
});

test("a suspended process observed nothing", () => {
  const { clock, observedSince, pass } = watch();
  pass(5);
  clock.advance(60_000);
  observedSince.tick();
  expect(observedSince.sinceMs()).toBe(clock.now());
});

test("a suspended machine or a clock step restarts the observation", () => {
  const { clock, observedSince, pass } = watch();
  pass(5);
  clock.step(3_600_000);
  pass(1);
  expect(observedSince.sinceMs()).toBe(clock.now());
});

test("an old message shows that we were behind", () => {
  const { clock, observedSince, pass, startMs } = watch();
  pass(10);
  observedSince.received(clock.now() - 1000);
  expect(observedSince.sinceMs()).toBe(startMs);
  observedSince.received(clock.now() - 6000);
  expect(observedSince.sinceMs()).toBe(clock.now());
});
