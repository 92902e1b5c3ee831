import { expect, test, vi } from "vitest";
import { registry } from "../telemetry/metrics.ts";
import { fakeClock } from "./clock.ts";
import { type LoopOptions, startLoop, untilTurnMs } from "./loop.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

function open(run: () => unknown, options: Partial<LoopOptions> = {}) {
  const clock = fakeClock();
  const log = { info: vi.fn(), warn: vi.fn() };
  return { clock, log, loop: startLoop({ work: "loop-test", log, clock, everyMs: 1_000, run, ...options }) };
}

test("failing work is counted, logged once until it succeeds, and repeated", async () => {
  let runs = 0;
  const run = () => {
    runs++;
    if (runs === 1) throw new Error("payload");
    return runs === 2 ? Promise.reject(new Error("later")) : undefined;
  };
  const { clock, log, loop } = open(run, { everyMs: 200 });
  for (let turn = 0; turn < 4; turn++) {
    clock.advance(200);
    await settled();
  }
  expect(runs).toBe(4);
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(log.info).toHaveBeenCalledTimes(1);
  expect(await registry.metrics()).toContain('sonde_timer_faults_total{work="loop-test"} 2');
  await loop.stop();
  clock.advance(800);
  loop.nudge();
  expect(runs).toBe(4);
});

test("work that keeps failing is logged once a minute, and retried at its interval", async () => {
  const run = vi.fn(() => Promise.reject(new Error("away")));
  const { clock, log, loop } = open(run, { everyMs: 60_000, retryMs: 500 });
  loop.nudge();
  await settled();
  for (let turn = 0; turn < 121; turn++) {
    clock.advance(500);
    await settled();
  }
  expect(run).toHaveBeenCalledTimes(122);
  expect(log.warn).toHaveBeenCalledTimes(2);
});

test("loops that start at different times run at the same instants", async () => {
  const clock = fakeClock();
  const ran: string[] = [];
  const start = (work: string, everyMs: number) =>
    startLoop({ work, everyMs, clock, run: () => void ran.push(`${work} ${clock.elapsedMs()}`) });
  clock.advance(130);
  const loops = [start("second", 1_000)];
  clock.advance(240);
  loops.push(start("half", 500), start("two", 2_000));
  clock.advance(2_630);
  expect(ran.toSorted()).toEqual(
    ["second 1000", "second 2000", "second 3000", "half 500", "half 1000", "half 1500", "half 2000", "half 2500"]
      .concat(["half 3000", "two 2000"])
      .toSorted(),
  );
  for (const loop of loops) await loop.stop();
  clock.advance(5_000);
  expect(ran).toHaveLength(10);
});

test("a turn that fires early is not run twice", () => {
  expect(untilTurnMs(1_999.6, 1_000)).toBe(1_001);
  expect(untilTurnMs(2_003, 1_000)).toBe(997);
  expect(untilTurnMs(2_003, 60_000)).toBe(59_997);
});

test("the interval may change from run to run", async () => {
  let everyMs = 100;
  let runs = 0;
  const { clock } = open(() => void runs++, { everyMs: () => everyMs });
  clock.advance(500);
  everyMs = 500;
  clock.advance(1_100);
  expect(runs).toBe(5 + 3);
});

test("nudges during a run cause one more run", async () => {
  const first = Promise.withResolvers<void>();
  const run = vi.fn(() => Promise.resolve());
  run.mockReturnValueOnce(first.promise);
  const { clock, loop } = open(run);
  for (let nudge = 0; nudge < 3; nudge++) loop.nudge();
  clock.advance(5_000);
  expect(run).toHaveBeenCalledTimes(1);
  first.resolve();
  await settled();
  expect(run).toHaveBeenCalledTimes(2);
});

test("the earliest of several delayed nudges wins", async () => {
  const run = vi.fn();
  const { clock, loop } = open(run, { everyMs: Number.POSITIVE_INFINITY });
  loop.nudge(100);
  loop.nudge(20);
  loop.nudge(50);
  clock.advance(19);
  expect(run).not.toHaveBeenCalled();
  clock.advance(1);
  expect(run).toHaveBeenCalledTimes(1);
  clock.advance(10_000);
  expect(run).toHaveBeenCalledTimes(1);
});

test("stopping waits for the current run, and prevents others", async () => {
  const first = Promise.withResolvers<void>();
  const run = vi.fn(() => first.promise);
  const { clock, loop } = open(run);
  loop.nudge();
  loop.nudge();
  let isOver = false;
  const stopping = loop.stop().then(() => (isOver = true));
  await settled();
  expect(isOver).toBe(false);
  first.resolve();
  await stopping;
  clock.advance(10_000);
  expect(run).toHaveBeenCalledTimes(1);
});
