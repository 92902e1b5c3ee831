import { expect, test } from "vitest";
import { describeAssertion } from "./assertion-reasons.ts";
import { assertionOps, assertionSources } from "../monitors/assertions.ts";
import { explain } from "./reasons.ts";

test.each([
  [
    "Expected the response time to be less than 100 ms, got 120.5 ms",
    "Expected the response time to be less than 100 ms, got 120.5 ms",
    "期望响应时间小于 100 ms，实际为 120.5 ms",
  ],
  [
    "Expected header X-Count to equal 4, got 42",
    "Expected header X-Count to equal 4, got 42",
    "期望响应头 X-Count 等于 4，实际为 42",
  ],
  [
    "Expected header x-none to exist, but it was not sent",
    "Expected header x-none to exist, but it was not sent",
    "期望响应头 x-none 存在，但响应中没有",
  ],
  [
    "Expected JSON value $['a b'] not to contain x, but its value cannot be compared",
    "Expected JSON value $['a b'] not to contain x, but its value cannot be compared",
    "期望 JSON 值 $['a b'] 不包含 x，但其值无法比较",
  ],
  [
    "Expected the body to match ^ok, but it takes too long to tell",
    "Expected the body to match ^ok, but it takes too long to tell",
    "期望响应体匹配 ^ok，但判定耗时过长",
  ],
  // Format stored by earlier versions.
  [
    "Expected latency lessThan 100, got 120.5",
    "Expected the response time to be less than 100 ms, got 120.5 ms",
    "期望响应时间小于 100 ms，实际为 120.5 ms",
  ],
  [
    "Expected json $.status notEquals down",
    "Expected JSON value $.status not to equal down",
    "期望 JSON 值 $.status 不等于 down",
  ],
  [
    "Expected header x-none exists, got nothing",
    "Expected header x-none to exist, but it was not sent",
    "期望响应头 x-none 存在，但响应中没有",
  ],
  ["Expected body notContains error", "Expected the body not to contain error", "期望响应体不包含 error"],
])("%s is told in words of both languages", (stored, english, chinese) => {
  expect(explain(stored, "en-US")).toBe(english);
  expect(explain(stored, "zh-CN")).toBe(chinese);
});

test("no comparison shows the name that it has in the API, in either language", () => {
  for (const source of assertionSources)
    for (const op of assertionOps)
      for (const language of ["en-US", "zh-CN"] as const)
        for (const said of [
          describeAssertion({ source, property: "$.x", op, value: "1" }, language),
          explain(describeAssertion({ source, property: "$.x", op, value: "1" }, "en-US"), language),
          explain(`Expected ${source === "body" || source === "latency" ? source : `${source} $.x`} ${op} 1`, language),
        ])
          expect(said).not.toMatch(/equals|notEquals|contains|notContains|matches|lessThan|greaterThan|exists|latency/);
});

test("what is written into a value stays a part of it", () => {
  expect(explain("Expected the body to contain a, got b", "zh-CN")).toBe("期望响应体包含 a, got b");
  expect(explain("Expected status 200, got 503", "zh-CN")).toBe("期望状态码 200，实际为 503");
  expect(explain("Expected header x to equal $& {found}, got $1", "zh-CN")).toBe(
    "期望响应头 x 等于 $& {found}，实际为 $1",
  );
});
