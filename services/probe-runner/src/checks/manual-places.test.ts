import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { createManualPlaces } from "./manual-places.ts";

test("a twentieth of the scheduled checks' places, at least four, are for checks by hand", async () => {
  for (const [scheduled, manual] of [
    [2000, 100],
    [10, 4],
  ] as const) {
    const places = createManualPlaces(fakeClock(), scheduled);
    for (let taken = 1; taken <= manual; taken++) expect(await places.enter()).toBe(true);
    void places.enter();
    expect(places.taken()).toBe(manual);
  }
});

test("as many callers wait, in order, for a second at most; the next is refused at once", async () => {
  const clock = fakeClock();
  const places = createManualPlaces(clock, 80);
  for (let taken = 0; taken < 4; taken++) await places.enter();
  const waiting = Array.from({ length: 4 }, () => places.enter());
  expect(await places.enter()).toBe(false);
  places.leave();
  expect(await waiting[0]).toBe(true);
  expect(places.taken()).toBe(4);
  clock.advance(1000);
  expect(await Promise.all(waiting.slice(1))).toEqual([false, false, false]);
  for (let left = 0; left < 4; left++) places.leave();
  expect(places.taken()).toBe(0);
  expect(await places.enter()).toBe(true);
});
