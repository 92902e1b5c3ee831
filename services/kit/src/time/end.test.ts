import { expect, test } from "vitest";
import { readEnd } from "./end.ts";

const nowMs = Date.UTC(2026, 0, 31, 12);
const at = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString();

test("an end is an instant, or a number of minutes from now in whole milliseconds", () => {
  expect(readEnd({ until: at(60) }, nowMs, 60)).toBe(nowMs + 3_600_000);
  expect(readEnd({ minutes: 5 }, nowMs + 0.4, 60)).toBe(nowMs + 300_000);
  // The request took some seconds.
  expect(readEnd({ until: at(5) }, nowMs + 20_000, 60)).toBe(nowMs + 300_000);
});

test.each<[string, { until?: string; minutes?: number }]>([
  ["no end", {}],
  ["two ends", { until: at(10), minutes: 10 }],
  ["an end that is too near", { until: at(4) }],
  ["an end that has passed", { until: at(-10) }],
  ["an end that is too far", { until: at(61) }],
  ["too many minutes", { minutes: 61 }],
])("%s is rejected", (_what, given) => {
  expect(() => readEnd(given, nowMs, 60)).toThrow(
    expect.objectContaining({ code: "invalid", details: [expect.objectContaining({ path: "until" })] }),
  );
});
