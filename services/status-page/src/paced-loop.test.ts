import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test, vi } from "vitest";
import { pacedLoop } from "./paced-loop.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

function open(run: () => Promise<void>) {
  const clock = fakeClock();
  const log = { info: vi.fn(), warn: vi.fn() };
  const loop = pacedLoop({ clock, log }, "test", { delayMs: 20, everyMs: 100, retryMs: 1000 }, run);
  return { clock, log, loop };
}

test("frequent requests cause one run", async () => {
  const run = vi.fn(async () => {});
  const { clock, loop } = open(run);
  for (let each = 0; each < 5; each++) loop.soon();
  clock.advance(19);
  expect(run).not.toHaveBeenCalled();
  clock.advance(1);
  expect(run).toHaveBeenCalledTimes(1);
  await settled();
  clock.advance(10_000);
  expect(run).toHaveBeenCalledTimes(1);
});

test("requests during a run cause one more run, not too soon", async () => {
  const first = Promise.withResolvers<void>();
  const run = vi.fn(async () => {});
  run.mockReturnValueOnce(first.promise);
  const { clock, loop } = open(run);
  loop.soon();
  clock.advance(20);
  loop.soon();
  loop.soon();
  clock.advance(50);
  expect(run).toHaveBeenCalledTimes(1);
  first.resolve();
  await settled();
  clock.advance(49);
  expect(run).toHaveBeenCalledTimes(1);
  clock.advance(1);
  expect(run).toHaveBeenCalledTimes(2);
});

test("a failure is retried, and logged once until it recovers", async () => {
  const run = vi.fn(async () => {
    throw new Error("unavailable");
  });
  const { clock, log, loop } = open(run);
  loop.soon();
  clock.advance(20);
  await settled();
  clock.advance(979);
  expect(run).toHaveBeenCalledTimes(1);
  clock.advance(1);
  await settled();
  expect(run).toHaveBeenCalledTimes(2);
  expect(log.warn).toHaveBeenCalledTimes(1);
  run.mockImplementationOnce(async () => undefined as never);
  clock.advance(1000);
  await settled();
  loop.soon();
  clock.advance(1000);
  await settled();
  expect(log.warn).toHaveBeenCalledTimes(2);
});

test("after a stop nothing runs", async () => {
  const run = vi.fn(async () => {});
  const { clock, loop } = open(run);
  loop.soon();
  await loop.stop();
  loop.soon();
  clock.advance(10_000);
  expect(run).not.toHaveBeenCalled();
});
