import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { everySecond, repeat } from "./seconds.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("does not count late seconds, such as after the machine was suspended", () => {
  let seconds = 0;
  const stop = everySecond(() => seconds++);
  vi.advanceTimersByTime(5_000);
  expect(seconds).toBe(5);

  const { now } = performance;
  performance.now = () => now.call(performance) + 3_600_000; // The machine was suspended for an hour.
  vi.advanceTimersByTime(1_000);
  expect(seconds).toBe(5);
  vi.advanceTimersByTime(2_000);
  expect(seconds).toBe(7);
  stop();
});

it("all callers share one timer, which ends with the last one", () => {
  const runs: string[] = [];
  const stops = ["a", "b"].map((name) => everySecond(() => runs.push(name)));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_000);
  stops[0]?.();
  vi.advanceTimersByTime(1_000);
  expect(runs).toEqual(["a", "b", "b"]);
  stops[1]?.();
  expect(vi.getTimerCount()).toBe(0);
});

it("repeats work at an interval, and never while it is still running", async () => {
  const running: PromiseWithResolvers<void>[] = [];
  const stop = repeat(5, () => {
    running.push(Promise.withResolvers());
    return running.at(-1)!.promise;
  });
  vi.advanceTimersByTime(4_000);
  expect(running).toHaveLength(0);
  vi.advanceTimersByTime(20_000);
  expect(running).toHaveLength(1);
  running[0]?.resolve();
  await running[0]?.promise;
  await Promise.resolve(); // Waits for `finally`.
  vi.advanceTimersByTime(1_000);
  expect(running).toHaveLength(2);
  stop();
});
