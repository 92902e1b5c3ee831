import { expect, test, vi } from "vitest";
import { cachePatterns } from "./pattern-cache.ts";

test("recently compiled patterns are cached, within bounds in number and characters", () => {
  const compile = vi.fn((source: string) => (text: string) => text === source);
  const cached = cachePatterns(compile);
  expect(cached("a")).toBe(cached("a"));
  expect(compile).toHaveBeenCalledTimes(1);
  for (let at = 0; at < 400; at++) cached(`b${at}`);
  cached("a");
  for (let at = 0; at < 400; at++) cached(`c${at}`);
  cached("a");
  expect(compile).toHaveBeenCalledTimes(801);
  cached("b0");
  expect(compile).toHaveBeenCalledTimes(802);
  cached("x".repeat(99_700));
  cached("a");
  cached("b0");
  expect(compile).toHaveBeenCalledTimes(805);
});
