import { expect, onTestFinished, test, vi } from "vitest";
import { fakeClock } from "./clock.ts";
import { every, untilTurnMs } from "./every.ts";
import { registry } from "../telemetry/metrics.ts";

test("work that throws or rejects is counted, said once, and runs again", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const log = { error: vi.fn() };
  let runs = 0;
  const stop = every(200, {
    work: "every-test",
    log,
    run: () => {
      runs++;
      if (runs === 1) throw new Error("payload");
      return runs === 2 ? Promise.reject(new Error("later")) : undefined;
    },
  });
  await vi.advanceTimersByTimeAsync(800);
  expect(runs).toBe(4);
  expect(log.error).toHaveBeenCalledTimes(1);
  expect(await registry.metrics()).toContain('sonde_timer_faults_total{work="every-test"} 2');
  stop();
  await vi.advanceTimersByTimeAsync(800);
  expect(runs).toBe(4);
});

test("work that begins at different instants runs at the same ones", () => {
  const clock = fakeClock();
  const ran: string[] = [];
  const start = (name: string, intervalMs: number) =>
    every(intervalMs, {
      work: name,
      log: { error: vi.fn() },
      clock,
      run: () => void ran.push(`${name} ${clock.elapsedMs()}`),
    });
  clock.advance(130);
  const stops = [start("second", 1_000)];
  clock.advance(240);
  stops.push(start("half", 500), start("two", 2_000));
  clock.advance(2_630);
  expect(ran.toSorted()).toEqual(
    ["second 1000", "second 2000", "second 3000", "half 500", "half 1000", "half 1500", "half 2000", "half 2500"]
      .concat(["half 3000", "two 2000"])
      .toSorted(),
  );
  for (const stop of stops) stop();
  clock.advance(5_000);
  expect(ran).toHaveLength(10);
});

test("a turn that came a moment early is not run twice", () => {
  expect(untilTurnMs(1_999.6, 1_000)).toBe(1_001);
  expect(untilTurnMs(2_003, 1_000)).toBe(997);
  expect(untilTurnMs(2_003, 60_000)).toBe(59_997);
});

test("the time until the next run may change from run to run", () => {
  const clock = fakeClock();
  let intervalMs = 100;
  let runs = 0;
  const stop = every(() => intervalMs, { work: "every-test", log: { error: vi.fn() }, clock, run: () => runs++ });
  clock.advance(500);
  intervalMs = 500;
  clock.advance(1_100);
  expect(runs).toBe(5 + 3);
  stop();
});
