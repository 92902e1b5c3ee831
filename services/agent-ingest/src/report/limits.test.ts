import { expect, test } from "vitest";
import { unitsOf } from "./limits.ts";

test("a report counts once per started 64 KiB and per started hundred samples", () => {
  expect([unitsOf(0, 1), unitsOf(65_536, 100), unitsOf(65_537, 1), unitsOf(1, 101)]).toEqual([1, 1, 2, 2]);
  expect(unitsOf(4 * 2 ** 20, 500)).toBe(64);
});
