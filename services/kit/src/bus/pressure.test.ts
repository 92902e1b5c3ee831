import { expect, test } from "vitest";
import { unreadShare } from "./pressure.ts";

test("a full stream that everybody has read has room; what counts is what its slowest reader has not read", () => {
  const full = { bytes: 1000, messages: 100, maxBytes: 1000 };
  expect(unreadShare(full, [0, 5])).toBe(0.05);
  expect(unreadShare(full, [0, 90])).toBe(0.9);
  expect(unreadShare(full, [])).toBe(1);
  expect(unreadShare({ ...full, messages: 0 }, [])).toBe(0);
});
