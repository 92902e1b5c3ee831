import { expect, test } from "vitest";
import { toResult } from "./result.ts";

const facts = {
  monitorId: 1,
  version: 1,
  location: "default",
  runner: "r",
  slotMs: 60_000,
  startedAtMs: 60_005,
  attempt: 1,
  failures: 1,
  manual: false,
};

test("an error has at most 300 bytes and ends between two characters", () => {
  const error = { kind: "assertion" as const, message: "失败".repeat(1_000) };
  const result = toResult(facts, { status: "down", timings: { total: 0 }, error });
  expect(Buffer.byteLength(result.error?.message ?? "")).toBeLessThanOrEqual(300);
  expect(result.error?.message).toMatch(/^(?:失败)+失?…$/);
});
