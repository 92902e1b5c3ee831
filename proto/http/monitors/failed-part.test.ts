import { expect, test } from "vitest";
import { failedPart, failedParts } from "./failed-part.ts";

test("what failed of a bar is seen however little it is, grows with the share, and is the whole only where all failed", () => {
  const shares = [0, 0.001, 1, 1.1, 5, 5.1, 20, 20.1, 50, 50.1, 99.999, 100];
  expect(shares.map(failedPart)).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, failedParts]);
});
