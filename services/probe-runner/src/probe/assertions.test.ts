import { describe, expect, it } from "vitest";
import { compilePattern } from "@sonde/kit/patterns/pattern";
import { maxErrorBytes } from "@sonde/kit/clip";
import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { compileAssertion } from "./assertions.ts";

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
const failure = (assertion: Assertion, changes = {}) =>
  compileAssertion(assertion, compilePattern).failure({ ...facts, ...changes });

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
    expect(failure(assertion)).toBeUndefined();
  });
});

describe("assertions that do not hold", () => {
  it.each<[Assertion, string]>([
    [{ source: "body", op: "contains", value: "error" }, "Expected the body to contain error"],
    [{ source: "header", property: "x-none", op: "exists" }, "Expected header x-none to exist, but it was not sent"],
    [{ source: "header", property: "x-count", op: "equals", value: "4" }, "Expected header x-count to equal 4, got 42"],
    [
      { source: "json", property: "$.status", op: "equals", value: "down" },
      "Expected JSON value $.status to equal down",
    ],
    [{ source: "json", property: "$.missing", op: "exists" }, "Expected JSON value $.missing to exist"],
    [{ source: "json", property: "$.constructor", op: "exists" }, "Expected JSON value $.constructor to exist"],
    [{ source: "json", property: "$.list.length", op: "exists" }, "Expected JSON value $.list.length to exist"],
    [
      { source: "json", property: "$.status", op: "lessThan", value: 5 },
      "Expected JSON value $.status to be less than 5",
    ],
    [{ source: "json", property: "$.missing", op: "equals", value: "" }, 'Expected JSON value $.missing to equal ""'],
    [{ source: "json", property: "$..id", op: "exists" }, "$..id is not a path such as $.data.ok"],
    [{ source: "body", op: "matches", value: "(a" }, "The pattern is not valid: Missing closing ): (a"],
    [
      { source: "latency", op: "lessThan", value: 100 },
      "Expected the response time to be less than 100 ms, got 120.5 ms",
    ],
  ])("%o fails with: %s", (assertion, message) => {
    expect(failure(assertion)).toContain(message);
  });

  it("a body that is not JSON is reported as such", () => {
    expect(failure({ source: "json", property: "$.a", op: "exists" }, { text: "<html>" })).toBe(
      "The body is not valid JSON",
    );
  });

  it.each<Assertion>([
    { source: "json", property: "$.deep", op: "contains", value: "x" },
    { source: "json", property: "$.deep", op: "equals", value: "x" },
  ])("%o does not hold for JSON that is nested too deeply", (assertion) => {
    const text = `{"deep":${'{"0":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
    expect(failure(assertion, { text })).toMatch(/^Expected JSON value \$\.deep .*cannot be compared$/);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"])(
    "the header %s counts as missing unless it was sent",
    (property) => {
      expect(failure({ source: "header", property, op: "exists" })).toContain("but it was not sent");
      expect(failure({ source: "header", property, op: "contains", value: "x" })).toContain("but it was not sent");
      expect(failure({ source: "header", property, op: "notContains", value: "x" })).toBeUndefined();
      const headers = Object.fromEntries([[property.toLowerCase(), "sent"]]);
      expect(failure({ source: "header", property, op: "equals", value: "sent" }, { headers })).toBeUndefined();
    },
  );

  it("never quotes the body, and clips other quotes", () => {
    const message = failure(
      { source: "header", property: "x-long", op: "equals", value: "x" },
      { headers: { "x-long": "y".repeat(5000) } },
    );
    expect(message!.length).toBeLessThan(200);
    const long = failure({
      source: "header",
      property: "x-".padEnd(200, "y"),
      op: "contains",
      value: "检".repeat(200),
    });
    expect(long).toMatch(/…, but it was not sent$/);
    const longest = { source: "header", property: "x-".padEnd(200, "y"), op: "greaterThan", value: 1 } as const;
    const quoted = failure(longest, { headers: { ["x-".padEnd(200, "y")]: "y".repeat(5000) } });
    for (const text of [long, quoted]) expect(Buffer.byteLength(text!)).toBeLessThanOrEqual(maxErrorBytes);
    expect(failure({ source: "json", property: "$.status", op: "equals", value: "x" })).not.toContain("ok");
  });
});

describe("a header that differs beyond the shown length", () => {
  const long = "script-src 'self' ".repeat(20);
  it("is quoted where it differs", () => {
    const assertion = {
      source: "header",
      property: "x-policy",
      op: "equals",
      value: `${long}https://a.example`,
    } as const;
    expect(failure(assertion, { headers: { "x-policy": `${long}https://b.example` } })).toBe(
      "Expected header x-policy to equal …elf' https://a.example, got …elf' https://b.example",
    );
  });
});

describe("a response header with a secret name", () => {
  const headers = {
    "set-cookie": ["session=canary"],
    "x-api-key": "canary",
    "x-auth-token": "canary",
    authentication: "canary",
    "x-request-signature": "canary",
  };

  it.each(Object.keys(headers))("is never quoted: %s", (property) => {
    for (const assertion of [
      { op: "equals", value: "x", words: "to equal" },
      {
        op: "notEquals",
        value: String([headers[property as keyof typeof headers]].flat()[0]),
        words: "not to equal",
      },
      { op: "contains", value: "x", words: "to contain" },
      { op: "matches", value: "^x", words: "to match" },
      { op: "lessThan", value: 1, words: "to be less than" },
    ] as const) {
      const { words, ...rest } = assertion;
      const said = failure({ source: "header", property: property.toUpperCase(), ...rest }, { headers });
      expect(said).toBe(`Expected header ${property.toUpperCase()} ${words} ••••••`);
    }
  });

  it("differs from a missing header in the message", () => {
    expect(failure({ source: "header", property: "X-Api-Key", op: "equals", value: "x" }, { headers: {} })).toBe(
      "Expected header X-Api-Key to equal ••••••, but it was not sent",
    );
  });
});
