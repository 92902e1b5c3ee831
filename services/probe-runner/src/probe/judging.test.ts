import { fakeClock } from "@sonde/kit/time/clock";
import { endlessPatience } from "@sonde/kit/testing/patience";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { RE2JS } from "re2js";
import { expect, onTestFinished, test, vi } from "vitest";
import { compileAssertion } from "./assertions.ts";
import { type Budgets, createJudging, type JudgedAssertions } from "./judging.ts";

function setUp(budgets?: Budgets) {
  const clock = fakeClock();
  const judging = createJudging(clock, budgets, endlessPatience);
  onTestFinished(judging.stop);
  const target = (...assertions: Assertion[]): JudgedAssertions => ({
    assertions,
    expectations: assertions.map((assertion) => compileAssertion(assertion)),
  });
  const judge = (judged: ReturnType<typeof target>, text: string, headers = {}) =>
    judging.judge(judged, { headers, text, latencyMs: 1 });
  return { clock, target, judge };
}

/** Counts how often a timer of this thread fired during the work. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ found: T; turns: number }> {
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  const found = await work;
  clearInterval(turning);
  return { found, turns };
}

const matches = (value: string): Assertion => ({ source: "body", op: "matches", value });
/** Takes seconds to match `slowText`. */
const slow = "(?:.*[a-e].*[f-z]){600}[!?]";
const slowText = "ag".repeat(32_768);
/** Takes a tenth of a second. */
const costly = "(?:.*[a-e].*[f-z]){200}[!?]|ag$";
const tooLong = `Expected the body to match ${slow}, but it takes too long to tell`;

test("a pattern is matched off the event loop, and an invalid one is reported", async () => {
  const compiles = vi.spyOn(RE2JS, "compile");
  const { target, judge } = setUp();
  expect(await judge(target(matches("^al+ is")), "all is well")).toBeUndefined();
  expect(await judge(target(matches("^ill")), "all is well")).toBe("Expected the body to match ^ill");
  expect(await judge(target(matches("(a")), "a")).toBe("The pattern is not valid: Missing closing ): (a");
  const count: Assertion = { source: "header", property: "x-count", op: "matches", value: "^4" };
  expect(await judge(target(count), "", { "x-count": "42" })).toBeUndefined();
  expect(compiles).not.toHaveBeenCalled();
});

test("the first failing assertion is reported, light or heavy", async () => {
  const { target, judge } = setUp();
  const contains = (value: string): Assertion => ({ source: "body", op: "contains", value });
  expect(await judge(target(contains("no"), matches("no")), "yes")).toBe("Expected the body to contain no");
  expect(await judge(target(contains("y"), matches("no"), contains("no")), "yes")).toBe(
    "Expected the body to match no",
  );
  expect(await judge(target(contains("y"), matches("y"), contains("no")), "yes")).toBe(
    "Expected the body to contain no",
  );
});

test("a slow match fails its assertion, and the loop keeps running", async () => {
  const { target, judge } = setUp();
  const { found, turns } = await turnsDuring(judge(target(matches("a"), matches(slow)), slowText));
  expect(found).toBe(tooLong);
  expect(turns).toBeGreaterThan(20);
});

test.each<[string, Assertion, string]>([
  ["a pattern that compiles for seconds", matches(`(?i)${"[Ā-\u{10FFFF}]".repeat(332)}`), "a"],
  [
    "a text that is sought for seconds",
    { source: "body", op: "contains", value: `${"a".repeat(1000)}b${"a".repeat(999)}` },
    "a".repeat(1_048_576),
  ],
])("%s does not stop the loop", async (_name, assertion, text) => {
  const { target, judge } = setUp();
  const { found, turns } = await turnsDuring(judge(target(assertion), text));
  expect(found).toMatch(/^Expected the body /);
  expect(turns).toBeGreaterThan(20);
});

test("large JSON is parsed off the event loop, and compared like small JSON", async () => {
  const parse = vi.spyOn(JSON, "parse");
  const { target, judge } = setUp();
  const many = Array.from({ length: 20_000 }, (_value, index) => `{"${index}":0}`);
  const text = `{"count":3,"many":[${many.join(",")}]}`;
  const count = (value: number): Assertion => ({ source: "json", property: "$.count", op: "equals", value });
  expect(await judge(target(count(3)), text)).toBeUndefined();
  expect(await judge(target(count(4)), text)).toBe("Expected JSON value $.count to equal 4");
  expect(parse).not.toHaveBeenCalled();
});

test("a target that was always quick does not wait for slow ones", async () => {
  const { target, judge } = setUp();
  const quick = target(matches("^ok"));
  for (let turn = 0; turn < 20; turn++) await judge(quick, "ok");
  const order: string[] = [];
  const others = Array.from({ length: 4 }, () => judge(target(matches(slow)), slowText).then(() => order.push("slow")));
  await judge(quick, "ok").then(() => order.push("quick"));
  await Promise.all(others);
  expect(order.indexOf("quick")).toBeLessThan(2);
});

test("a target that alternates between quick and slow never delays quick ones", async () => {
  const { target, judge } = setUp({ assertionMs: 100, checkMs: 100 });
  const alternating = target(matches(`^ok|${slow}`));
  for (let turn = 0; turn < 3; turn++) {
    await judge(alternating, "ok");
    await judge(alternating, slowText);
  }
  const { values } = await counter("sonde_offload_replaced_total", "", ["name", "reason"]).get();
  const ended = values.filter(({ labels }) => labels.name === "quick assertions");
  expect(ended).toEqual([]);
});

test("many assertions together have more time than each of them", async () => {
  const { target, judge } = setUp({ assertionMs: 500, checkMs: 60_000 });
  const some = Array.from({ length: 20 }, (_, index) => matches(`${costly}|${index}`));
  expect(await judge(target(...some), slowText)).toBeUndefined();
});

test("a target that was too slow twice is suspended for ten minutes with the same error", async () => {
  const { clock, target, judge } = setUp();
  const patient = target(matches(slow));
  expect(await judge(patient, slowText)).toBe(tooLong);
  expect(await judge(patient, slowText)).toBe(tooLong);
  // This body would match at once, but it is not evaluated.
  expect(await judge(patient, "af".repeat(600) + "!")).toBe(tooLong);
  clock.advance(600_000);
  expect(await judge(patient, "x")).toBe(`Expected the body to match ${slow}`);
});
