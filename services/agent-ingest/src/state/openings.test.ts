import { expect, test } from "vitest";
import { createOpenings } from "./warnings.ts";

const limits = { maxOpen: 5, maxPerMinute: 3 };
const startMs = 1_800_000_000_000;
const wanted = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ metric: `disk:/${index}`, cause: "full" }));

/** How many of a number of incidents may open; opens them. */
function story(openings = createOpenings(limits)) {
  return (count: number, openCount: number, atMs: number, agentId = 7) => {
    const admitted = openings.admit(agentId, wanted(count), openCount, atMs);
    openings.opened(agentId, admitted.length, atMs);
    return admitted.length;
  };
}

test("an agent opens so many incidents within a minute, and others are not held up", () => {
  const open = story();
  expect(open(2, 0, startMs)).toBe(2);
  expect(open(2, 0, startMs + 1_000)).toBe(1);
  expect(open(1, 0, startMs + 59_999)).toBe(0);
  expect(open(1, 0, startMs + 59_999, 8)).toBe(1);
  expect(open(9, 0, startMs + 60_000)).toBe(2);
});

test("an agent has so many incidents open", () => {
  const open = story();
  expect(open(3, 4, startMs)).toBe(1);
  expect(open(3, 5, startMs)).toBe(0);
  expect(open(3, 9, startMs)).toBe(0);
});

test("a clock that was set back holds nothing back", () => {
  const open = story();
  expect(open(3, 0, startMs)).toBe(3);
  expect(open(3, 0, startMs - 3_600_000)).toBe(3);
});

test("that some were held back is told once in ten minutes while it goes on", () => {
  const openings = createOpenings(limits);
  const holdBack = () => openings.admit(7, wanted(4), 0, startMs);
  openings.admit(8, wanted(3), 0, startMs);
  expect(openings.takeHeldBack(startMs)).toEqual([]);
  holdBack();
  expect(openings.takeHeldBack(startMs)).toEqual([7]);
  holdBack();
  expect(openings.takeHeldBack(startMs + 599_999)).toEqual([]);
  holdBack();
  expect(openings.takeHeldBack(startMs + 600_000)).toEqual([7]);
});

test("what could not be kept is told again", () => {
  const openings = createOpenings(limits);
  openings.admit(7, wanted(4), 0, startMs);
  const found = openings.takeHeldBack(startMs);
  openings.putBack(found);
  expect(openings.takeHeldBack(startMs + 1000)).toEqual([7]);
  expect(openings.takeHeldBack(startMs + 2000)).toEqual([]);
});
