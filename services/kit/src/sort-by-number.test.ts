import { describe, expect, it } from "vitest";
import { sortByNumber } from "./sort-by-number.ts";

const items = [
  { name: "a", ms: 5 },
  { name: "b", ms: null },
  { name: "c", ms: 1 },
  { name: "d", ms: 5 },
  { name: "e", ms: null },
];
const namesBy = (descending: boolean) =>
  sortByNumber(items, ({ ms }) => ms, descending)
    .map(({ name }) => name)
    .join("");

describe("sorting by an optional number", () => {
  it("works in both directions, is stable, and puts items without a number last", () => {
    expect(namesBy(false)).toBe("cadbe");
    expect(namesBy(true)).toBe("adcbe");
  });

  it("does not modify its input", () => {
    sortByNumber(items, ({ ms }) => ms, false);
    expect(items.map(({ name }) => name).join("")).toBe("abcde");
  });
});
