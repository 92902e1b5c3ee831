import { expect, test } from "vitest";
import { createOpenings } from "./warnings.ts";

const limits = { maxOpen: 5, maxPerMinute: 3 };
const startMs = 1_800_000_000_000;
const wanted = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ metric: `disk:/${index}`, cause: "full" }));

function allowedCounts(openings = createOpenings(limits)) {
  return (count: number, openCount: number, atMs: number, agentId = 7) => {
    const admitted = openings.admit(agentId, wanted(count), openCount, atMs);
    openings.opened(agentId, admitted.length, atMs);
    return admitted.length;
  };
}

test("the number of incidents opened per minute is limited per agent", () => {
  const open = allowedCounts();
  expect(open(2, 0, startMs)).toBe(2);
  expect(open(2, 0, startMs + 1_000)).toBe(1);
  expect(open(1, 0, startMs + 59_999)).toBe(0);
  expect(open(1, 0, startMs + 59_999, 8)).toBe(1);
  expect(open(9, 0, startMs + 60_000)).toBe(2);
});

test("the number of open incidents is limited per agent", () => {
  const open = allowedCounts();
  expect(open(3, 4, startMs)).toBe(1);
  expect(open(3, 5, startMs)).toBe(0);
  expect(open(3, 9, startMs)).toBe(0);
});

test("setting the clock back defers nothing", () => {
  const open = allowedCounts();
  expect(open(3, 0, startMs)).toBe(3);
  expect(open(3, 0, startMs - 3_600_000)).toBe(3);
});

test("deferred incidents are reported every ten minutes while they continue", () => {
  const openings = createOpenings(limits);
  const holdBack = () => openings.admit(7, wanted(4), 0, startMs);
  openings.admit(8, wanted(3), 0, startMs);
  expect(openings.takeDeferred(startMs)).toEqual([]);
  holdBack();
  expect(openings.takeDeferred(startMs)).toEqual([7]);
  holdBack();
  expect(openings.takeDeferred(startMs + 599_999)).toEqual([]);
  holdBack();
  expect(openings.takeDeferred(startMs + 600_000)).toEqual([7]);
});

test("agents that could not be stored are reported again", () => {
  const openings = createOpenings(limits);
  openings.admit(7, wanted(4), 0, startMs);
  const found = openings.takeDeferred(startMs);
  openings.putBack(found);
  expect(openings.takeDeferred(startMs + 1000)).toEqual([7]);
  expect(openings.takeDeferred(startMs + 2000)).toEqual([]);
});
