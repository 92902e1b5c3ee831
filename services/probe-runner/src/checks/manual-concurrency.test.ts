import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { createManualConcurrency } from "./manual-concurrency.ts";

test("a twentieth of the scheduled checks' concurrency, at least four, is for checks by hand", async () => {
  for (const [scheduled, manual] of [
    [2000, 100],
    [10, 4],
  ] as const) {
    const concurrency = createManualConcurrency(fakeClock(), scheduled);
    for (let taken = 1; taken <= manual; taken++) expect(await concurrency.enter()).toBe(true);
    void concurrency.enter();
    expect(concurrency.taken()).toBe(manual);
  }
});

test("as many callers wait, in order, for a second at most; the next is refused at once", async () => {
  const clock = fakeClock();
  const concurrency = createManualConcurrency(clock, 80);
  for (let taken = 0; taken < 4; taken++) await concurrency.enter();
  const waiting = Array.from({ length: 4 }, () => concurrency.enter());
  expect(await concurrency.enter()).toBe(false);
  concurrency.leave();
  expect(await waiting[0]).toBe(true);
  expect(concurrency.taken()).toBe(4);
  clock.advance(1000);
  expect(await Promise.all(waiting.slice(1))).toEqual([false, false, false]);
  for (let left = 0; left < 4; left++) concurrency.leave();
  expect(concurrency.taken()).toBe(0);
  expect(await concurrency.enter()).toBe(true);
});
