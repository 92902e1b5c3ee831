import { expect, test } from "vitest";
import { fakeClock } from "./clock.ts";

test("timers of a fake clock run in order, including those set by other timers", () => {
  const clock = fakeClock(1_000);
  const seen: [string, number][] = [];
  clock.setTimeout(() => seen.push(["late", clock.now()]), 30);
  clock.setTimeout(() => {
    seen.push(["early", clock.now()]);
    clock.setTimeout(() => seen.push(["nested", clock.now()]), 5);
  }, 10);
  const cancel = clock.setTimeout(() => seen.push(["cancelled", clock.now()]), 20);
  cancel();
  clock.advance(29);
  expect(seen).toEqual([
    ["early", 1_010],
    ["nested", 1_015],
  ]);
  clock.advance(1);
  expect(seen.at(-1)).toEqual(["late", 1_030]);
});

test("a step of the wall clock fires no timers", () => {
  const clock = fakeClock(1_000);
  clock.step(-500);
  expect(clock.now()).toBe(500);
  expect(clock.elapsedMs()).toBe(0);
});
