import { RE2JS } from "re2js";
import { expect, onTestFinished, test, vi } from "vitest";
import { endlessPatience } from "../offload/patience.testing.ts";
import { createPatternChecker } from "./checker.ts";

function setUp() {
  const checker = createPatternChecker(endlessPatience);
  onTestFinished(checker.stop);
  return checker;
}
/** 2,000 characters that take seconds to compile: the case of a whole Unicode plane is folded again and again. */
const foldsAll = `(?i)${"[Ā-\u{10FFFF}]".repeat(332)}`;

test("errors are returned per pattern", async () => {
  expect(await setUp().faultsOf(["^ok$", "(a", "a{9999}", "b+"])).toMatchObject([
    null,
    { fault: "Missing closing ): {part}", params: { part: "(a" } },
    { fault: "Too many repetitions (maximum 1000): {part}" },
    null,
  ]);
});

test("a pattern that takes too long to compile is too large; it is never compiled on our event loop", async () => {
  const compiles = vi.spyOn(RE2JS, "compile");
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  const faults = await setUp().faultsOf(["^ok$", ...Array.from({ length: 19 }, () => foldsAll)]);
  clearInterval(turning);
  expect(faults[0]).toBeNull();
  expect(faults[1]).toEqual({ fault: "The regular expression is too large", params: {} });
  expect(turns).toBeGreaterThan(10);
  expect(compiles).not.toHaveBeenCalled();
});

test("small patterns do not wait for large ones", async () => {
  const checker = setUp();
  const order: string[] = [];
  const noted = (kind: string) => () => void order.push(kind);
  const large = Array.from({ length: 5 }, () => checker.faultsOf([foldsAll]).then(noted("large")));
  await checker.faultsOf(["^ok$"]).then(noted("small"));
  await Promise.all(large);
  expect(order.indexOf("small")).toBeLessThan(4);
});
