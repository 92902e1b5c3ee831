import { expect, test } from "vitest";
import { afterChange, isCalm, steady } from "./flapping.ts";

const minute = 60_000;
const startMs = 1_790_000_000_000;
const changes = (count: number, everyMs: number) =>
  Array.from({ length: count }, (_, index) => startMs + index * everyMs).reduce(afterChange, steady);

test("ten changes within an hour are flapping, ten in a longer time are not", () => {
  expect(changes(9, minute).isFlapping).toBe(false);
  expect(changes(10, minute).isFlapping).toBe(true);
  expect(changes(10, 6 * minute).isFlapping).toBe(true);
  expect(changes(60, 7 * minute).isFlapping).toBe(false);
});

test("a target is stable ten minutes after the last change, or two intervals if that is longer", () => {
  const flapping = changes(60, 1_000);
  expect(flapping.changesMs).toHaveLength(10);
  const lastMs = startMs + 59_000;
  expect(isCalm(flapping, minute, lastMs + 10 * minute - 1)).toBe(false);
  expect(isCalm(flapping, minute, lastMs + 10 * minute)).toBe(true);
  expect(isCalm(flapping, 10 * minute, lastMs + 19 * minute)).toBe(false);
  expect(isCalm(flapping, 10 * minute, lastMs + 20 * minute)).toBe(true);
  expect(isCalm(changes(9, minute), minute, lastMs + 60 * minute)).toBe(false);
});

test("changes in the future, after the clock was set back, are dropped", () => {
  const flapping = changes(10, minute);
  expect(afterChange(flapping, startMs - 2 * 3_600_000)).toEqual({
    changesMs: [startMs - 2 * 3_600_000],
    isFlapping: true,
  });
  expect(isCalm(flapping, minute, startMs - 2 * 3_600_000)).toBe(true);
});
