import { fakeClock } from "../time/clock.ts";
import { expect, test } from "vitest";
import { createObservedSince } from "./observing.ts";

/** Ticks each second for a while. */
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

test("while it ticks, silence counts from the start", () => {
  const { observedSince, pass, startMs } = watch();
  pass(60);
  expect(observedSince.sinceMs()).toBe(startMs);
});

test("a process that stood still listened to nobody", () => {
  const { clock, observedSince, pass } = watch();
  pass(5);
  clock.advance(60_000);
  observedSince.tick();
  expect(observedSince.sinceMs()).toBe(clock.now());
});

test("nor did a machine that slept, or whose clock was stepped", () => {
  const { clock, observedSince, pass } = watch();
  pass(5);
  clock.step(3_600_000);
  pass(1);
  expect(observedSince.sinceMs()).toBe(clock.now());
});

test("a message that lay in the stream shows that we were behind", () => {
  const { clock, observedSince, pass, startMs } = watch();
  pass(10);
  observedSince.received(clock.now() - 1000);
  expect(observedSince.sinceMs()).toBe(startMs);
  observedSince.received(clock.now() - 6000);
  expect(observedSince.sinceMs()).toBe(clock.now());
});
