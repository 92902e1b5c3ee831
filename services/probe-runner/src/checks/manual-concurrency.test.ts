import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { createManualConcurrency } from "./limits.ts";

const open = (scheduled: number) => {
  const clock = fakeClock();
  const concurrency = createManualConcurrency(clock, scheduled);
  const ends: (() => void)[] = [];
  const check = () => concurrency.run(() => new Promise<boolean>((resolve) => ends.push(() => resolve(true))));
  return { clock, concurrency, ends, check };
};

test("manual checks may use a twentieth of the scheduled concurrency, at least four", () => {
  for (const [scheduled, manual] of [
    [2000, 100],
    [10, 4],
  ] as const) {
    const { concurrency, check } = open(scheduled);
    for (let taken = 1; taken <= manual + 1; taken++) void check();
    expect(concurrency.taken()).toBe(manual);
  }
});

test("as many callers wait in order for up to a second; the next is rejected immediately", async () => {
  const { clock, concurrency, ends, check } = open(80);
  const running = Array.from({ length: 4 }, check);
  const waiting = Array.from({ length: 4 }, check);
  expect(await check()).toBe(null);
  ends[0]!();
  expect(await running[0]).toBe(true);
  expect(concurrency.taken()).toBe(4);
  clock.advance(1000);
  expect(await Promise.all(waiting.slice(1))).toEqual([null, null, null]);
  for (const end of ends) end();
  expect(await waiting[0]).toBe(true);
  expect(concurrency.taken()).toBe(0);
  void check();
  expect(concurrency.taken()).toBe(1);
});
