import { expect, test, vi } from "vitest";
import { cachePatterns } from "./cache.ts";

test("what was compiled last is kept, within bounds in count and characters", () => {
  const compile = vi.fn((source: string) => (text: string) => text === source);
  const cached = cachePatterns(compile);
  expect(cached("a")).toBe(cached("a"));
  expect(compile).toHaveBeenCalledTimes(1);
  for (let at = 0; at < 499; at++) cached(`b${at}`);
  cached("a");
  cached("c");
  expect(compile).toHaveBeenCalledTimes(501);
  cached("a");
  cached("b0");
  expect(compile).toHaveBeenCalledTimes(502);
  cached("x".repeat(100_001));
  cached("a");
  expect(compile).toHaveBeenCalledTimes(504);
});
