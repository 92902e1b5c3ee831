import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { createWatchfulness } from "./watchfulness.ts";

/** Beats each second for a while. */
function watch() {
  const clock = fakeClock();
  const watchfulness = createWatchfulness(clock);
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000);
      watchfulness.beat();
    }
  };
  const startMs = clock.now();
  return { clock, watchfulness, pass, startMs };
}

test("while it beats, silence counts from the start", () => {
  const { watchfulness, pass, startMs } = watch();
  pass(60);
  expect(watchfulness.sinceMs()).toBe(startMs);
});

test("a process that stood still listened to nobody", () => {
  const { clock, watchfulness, pass } = watch();
  pass(5);
  clock.advance(60_000);
  watchfulness.beat();
  expect(watchfulness.sinceMs()).toBe(clock.now());
});

test("nor did a machine that slept, or whose clock was stepped", () => {
  const { clock, watchfulness, pass } = watch();
  pass(5);
  clock.step(3_600_000);
  pass(1);
  expect(watchfulness.sinceMs()).toBe(clock.now());
});

test("a message that lay in the stream shows that we were behind", () => {
  const { clock, watchfulness, pass, startMs } = watch();
  pass(10);
  watchfulness.heard(clock.now() - 1000);
  expect(watchfulness.sinceMs()).toBe(startMs);
  watchfulness.heard(clock.now() - 6000);
  expect(watchfulness.sinceMs()).toBe(clock.now());
});
