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

describe("an order by a number that not all have", () => {
  it("is upward or downward, with equal ones as they came and those without a number last", () => {
    expect(namesBy(false)).toBe("cadbe");
    expect(namesBy(true)).toBe("adcbe");
  });

  it("leaves the list that it was given as it was", () => {
    sortByNumber(items, ({ ms }) => ms, false);
    expect(items.map(({ name }) => name).join("")).toBe("abcde");
  });
});
