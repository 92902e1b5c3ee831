import { expect, test } from "vitest";
import { unreadShare } from "./pressure.ts";

test("a full stream that has been read has room; only messages unread by the slowest reader count", () => {
  const full = { bytes: 1000, messages: 100, maxBytes: 1000 };
  expect(unreadShare(full, [0, 5])).toBe(0.05);
  expect(unreadShare(full, [0, 90])).toBe(0.9);
  expect(unreadShare(full, [])).toBe(1);
  expect(unreadShare({ ...full, messages: 0 }, [])).toBe(0);
});
