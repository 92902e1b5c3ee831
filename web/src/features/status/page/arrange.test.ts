import { describe, expect, it } from "vitest";
import {
  type Group,
  orderedTargets,
  lineKey,
  groupedLines,
  moveBy,
  moveElement,
  moveTo,
  moveToGroup,
  placeOf,
  type ShownTarget,
} from "./arrange.ts";

const groups: Group[] = [
  { key: "a", name: "Website" },
  { key: "b", name: "Inside" },
];
const target = (id: number, group: string | null = null): ShownTarget => ({ id, name: "", group });
const shown = [target(1), target(2, "b"), target(3, "a"), target(4, "a")];
/** Renders lines as `a: 3 4 b: 2 none: 1`. */
const draw = (list: readonly ShownTarget[], of = groups) =>
  groupedLines(list, of)
    .map((line) => (line.kind === "heading" ? `${line.group ?? "none"}:` : String(line.target.id)))
    .join(" ");

describe("the order of the page", () => {
  it("has groups in their order, targets without a group last, and no headings without groups", () => {
    expect(draw(shown)).toBe("a: 3 4 b: 2 none: 1");
    expect(orderedTargets(shown, groups).map(({ id }) => id)).toEqual([3, 4, 2, 1]);
    expect(draw([target(1), target(2)], [])).toBe("1 2");
  });

  it("moves targets of a removed group to those without a group", () => {
    expect(draw(shown, groups.slice(0, 1))).toBe("a: 3 4 none: 1 2");
    expect(orderedTargets(shown, groups.slice(0, 1)).at(-1)).toEqual(target(2));
  });

  it.each([
    ["down within its group", 3, 1, "a: 4 3 b: 2 none: 1"],
    ["down into the next group", 4, 1, "a: 3 b: 4 2 none: 1"],
    ["up into the previous group", 2, -1, "a: 3 4 2 b: none: 1"],
    ["up into the last group", 1, -1, "a: 3 4 b: 2 1 none:"],
    ["up at the top, where it stays", 3, -1, "a: 3 4 b: 2 none: 1"],
    ["down at the end, where it stays", 1, 1, "a: 3 4 b: 2 none: 1"],
  ] as const)("moves one %s", (_what, id, step, drawn) => {
    expect(draw(moveBy(shown, groups, id, step))).toBe(drawn);
  });

  it("moves one to the position of another, but never above the first heading", () => {
    expect(draw(moveTo(shown, groups, lineKey(1), lineKey(3)))).toBe("a: 1 3 4 b: 2 none:");
    expect(draw(moveTo(shown, groups, lineKey(1), "heading-a"))).toBe("a: 1 3 4 b: 2 none:");
    expect(draw(moveTo(shown, groups, "heading-b", lineKey(3)))).toBe("a: 3 4 b: 2 none: 1");
  });

  it("moves one to the end of a group", () => {
    expect(draw(moveToGroup(shown, groups, 1, "a"))).toBe("a: 3 4 1 b: 2 none:");
    expect(draw(moveToGroup(shown, groups, 3, null))).toBe("a: 4 b: 2 none: 1 3");
  });

  it("keeps the identity of unchanged targets, so that their lines do not render again", () => {
    const moved = moveBy(shown, groups, 3, 1);
    expect(moved.find(({ id }) => id === 2)).toBe(shown[1]);
  });

  it("reports a position within a group", () => {
    expect(placeOf(shown, groups, 4)).toEqual({ group: "a", position: 2, total: 2 });
    expect(placeOf(shown, groups, 1)).toEqual({ group: null, position: 1, total: 1 });
  });

  it("moves an element of a list, but not beyond its ends", () => {
    expect(moveElement(["x", "y", "z"], 0, 2)).toEqual(["y", "z", "x"]);
    expect(moveElement(["x", "y"], 1, 2)).toEqual(["x", "y"]);
  });
});
