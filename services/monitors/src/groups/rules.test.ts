import { expect, test } from "vitest";
import { depthsOf, findCircle } from "./rules.ts";

const circleOf = (groups: Parameters<typeof findCircle>[0]) => findCircle(groups)?.map(({ name }) => name) ?? null;
const group = (id: number, ...members: number[]) => ({ id, name: `Group ${id}`, members });

test("groups that contain each other are named in order", () => {
  expect(circleOf([group(1, 2, 9), group(2, 3), group(3, 1)])).toEqual(["Group 1", "Group 2", "Group 3", "Group 1"]);
  expect(circleOf([group(1, 1)])).toEqual(["Group 1", "Group 1"]);
  expect(circleOf([group(5, 1), group(1, 2), group(2, 1)])).toEqual(["Group 1", "Group 2", "Group 1"]);
});

test("a group in two others is no circle", () => {
  expect(circleOf([group(1, 2, 3), group(2, 4), group(3, 4), group(4, 9)])).toBeNull();
});

test("the depth is the number of levels, and monitors are none", () => {
  expect(depthsOf([])).toEqual(new Map());
  expect(depthsOf([group(1, 9)])).toEqual(new Map([[1, 1]]));
  const depths = depthsOf([group(3, 9), group(1, 2, 9), group(2, 3), group(4, 3)]);
  expect(Object.fromEntries(depths)).toEqual({ 1: 3, 2: 2, 3: 1, 4: 2 });
});
