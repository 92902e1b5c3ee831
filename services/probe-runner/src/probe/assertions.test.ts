import { describe, expect, it } from "vitest";
import type { Assertion } from "@sonde/proto/http/assertions";
import { compileAssertion } from "./assertions.ts";
import { parseJsonPath } from "./json-path.ts";
import { compilePattern } from "./pattern.ts";

const facts = {
  headers: { "content-type": "application/json", "set-cookie": ["a=1", "b=2"], "x-count": "42" },
  text: JSON.stringify({
    status: "ok",
    count: 3,
    ratio: 0.5,
    ready: true,
    none: null,
    list: [{ id: 7 }, "two"],
    "a b": 1,
  }),
  latencyMs: 120.5,
};
const fault = (assertion: Assertion, changes = {}) => compileAssertion(assertion).fault({ ...facts, ...changes });

describe("assertions that hold", () => {
  it.each<Assertion>([
    { source: "body", op: "contains", value: '"status":"ok"' },
    { source: "body", op: "notContains", value: "error" },
    { source: "body", op: "matches", value: '"count":\\d+' },
    { source: "body", op: "exists" },
    { source: "header", property: "Content-Type", op: "equals", value: "application/json" },
    { source: "header", property: "content-type", op: "contains", value: "json" },
    { source: "header", property: "x-none", op: "notContains", value: "a" },
    { source: "header", property: "x-none", op: "notEquals", value: "a" },
    { source: "header", property: "set-cookie", op: "equals", value: "a=1, b=2" },
    { source: "header", property: "x-count", op: "greaterThan", value: 41 },
    { source: "json", property: "$.status", op: "equals", value: "ok" },
    { source: "json", property: "$.count", op: "equals", value: 3 },
    { source: "json", property: "$.count", op: "equals", value: "3.0" },
    { source: "json", property: "$.ratio", op: "lessThan", value: "0.6" },
    { source: "json", property: "$.ready", op: "equals", value: "true" },
    { source: "json", property: "$.none", op: "equals", value: "null" },
    { source: "json", property: "$.none", op: "exists" },
    { source: "json", property: "$.list[0].id", op: "equals", value: 7 },
    { source: "json", property: "$.list[-1]", op: "equals", value: "two" },
    { source: "json", property: "$['a b']", op: "exists" },
    { source: "json", property: "$.list", op: "contains", value: '"id":7' },
    { source: "json", property: "$.status", op: "matches", value: "^o" },
    { source: "latency", op: "lessThan", value: 121 },
    { source: "latency", op: "greaterThan", value: "100" },
  ])("%o", (assertion) => {
    expect(fault(assertion)).toBeUndefined();
  });
});

describe("assertions that do not hold", () => {
  it.each<[Assertion, string]>([
    [{ source: "body", op: "contains", value: "error" }, "Expected body contains error"],
    [{ source: "header", property: "x-none", op: "exists" }, "Expected header x-none exists, got nothing"],
    [{ source: "header", property: "x-count", op: "equals", value: "4" }, "Expected header x-count equals 4, got 42"],
    [{ source: "json", property: "$.status", op: "equals", value: "down" }, "Expected json $.status equals down"],
    [{ source: "json", property: "$.missing", op: "exists" }, "Expected json $.missing exists"],
    [{ source: "json", property: "$.constructor", op: "exists" }, "Expected json $.constructor exists"],
    [{ source: "json", property: "$.list.length", op: "exists" }, "Expected json $.list.length exists"],
    [{ source: "json", property: "$.status", op: "lessThan", value: 5 }, "Expected json $.status lessThan 5"],
    [{ source: "json", property: "$.missing", op: "equals", value: "" }, "Expected json $.missing equals "],
    [{ source: "json", property: "$..id", op: "exists" }, "$..id is not a path such as $.data.ok"],
    [{ source: "body", op: "matches", value: "(a" }, "The pattern is not valid: error parsing regexp"],
    [{ source: "latency", op: "lessThan", value: 100 }, "Expected latency lessThan 100, got 120.5"],
  ])("%o says %s", (assertion, message) => {
    expect(fault(assertion)).toContain(message);
  });

  it("a body that is no JSON says so", () => {
    expect(fault({ source: "json", property: "$.a", op: "exists" }, { text: "<html>" })).toBe(
      "The body is not valid JSON",
    );
  });

  it("never quotes the body, and cuts what else it quotes", () => {
    const message = fault(
      { source: "header", property: "x-long", op: "equals", value: "x" },
      { headers: { "x-long": "y".repeat(5000) } },
    );
    expect(message!.length).toBeLessThan(200);
    expect(fault({ source: "json", property: "$.status", op: "equals", value: "x" })).not.toContain("ok");
  });
});

describe("a JSON path", () => {
  it.each([
    ["$", []],
    ["$.a.b", ["a", "b"]],
    ["$[0][-1]", [0, -1]],
    ["$['it\\'s']", ["it's"]],
    ['$["a.b"].c', ["a.b", "c"]],
    ["$.größe", ["größe"]],
  ])("%s is read", (text, steps) => {
    expect(parseJsonPath(text)).toEqual(steps);
  });

  it.each(["", "a", "$a", "$.", "$..a", "$.*", "$[*]", "$[?(@.a)]", "$[1:2]", "$.a[", "$['a]", "$.a b"])(
    "%s is refused",
    (text) => {
      expect(parseJsonPath(text)).toBeUndefined();
    },
  );
});

describe("a pattern", () => {
  // A backtracking engine needs longer than the universe is old for each of these.
  const hostile = [
    "(a+)+$b",
    "(a|aa)+c",
    "(.*)(.*)(.*)(.*)x$",
    "(?:a?){100}a{100}b",
    "(?i)(.{1,30}a){12}Q",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
  ];

  it.each(hostile)("%s ends on hostile input", (source) => {
    const matches = compilePattern(source);
    if (typeof matches !== "function") throw new Error(matches.fault);
    for (const text of ["a".repeat(1_000_000), "ab".repeat(500_000)]) expect(matches(text)).toBe(false);
  });

  it("looks at the first 64 KiB alone", () => {
    const matches = compilePattern("end$") as (text: string) => boolean;
    expect(matches(`${"x".repeat(65_533)}end`)).toBe(true);
    expect(matches(`${"x".repeat(65_534)}end`)).toBe(false);
  });

  it.each([
    "((a{100}){100}){100}",
    "(?<=a)b",
    "\\1",
    "(?:[a-z]{1,100}){10}(?:[a-z]{1,100}){10}(?:.{1,1000})(?:.{1,1000})(?:.{1,1000})(?:.{1,1000})",
  ])("%s is refused", (source) => {
    expect(compilePattern(source)).toHaveProperty("fault");
  });
});
