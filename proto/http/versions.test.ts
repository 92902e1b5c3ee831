import { expect, test } from "vitest";
import { isOlderVersion } from "./versions.ts";

test.each([
  ["0.9.0", "1.0.0"],
  ["1.9.9", "1.10.0"],
  ["1.0.1", "1.0.10"],
  ["1.0.0-rc.1", "1.0.0"],
  ["v1.0.0", "1.0.1+build.5"],
])("%s is older than %s, and not the other way round", (one, other) => {
  expect(isOlderVersion(one, other)).toBe(true);
  expect(isOlderVersion(other, one)).toBe(false);
});

test.each([
  ["1.0.0", "1.0.0"],
  ["1.0.0", "1.0.0-rc.1"],
  ["sh", "1.0.0"],
  ["0.9", "1.0.0"],
  ["0.9.0", "unknown"],
])("%s is not older than %s", (one, other) => {
  expect(isOlderVersion(one, other)).toBe(false);
});
