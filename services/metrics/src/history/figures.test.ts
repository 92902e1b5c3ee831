import { expect, test } from "vitest";
import { mergedFigures, type SpanFigures, mergeFigures } from "./figures.ts";

const figures = (fields: Partial<SpanFigures>): SpanFigures => ({
  atMs: 0,
  seen: 60,
  up: 60,
  covered: 3,
  max: 200,
  sum: 9_000,
  buckets: [50, 51],
  counts: [40, 20],
  failedBuckets: [],
  failedCounts: [],
  phaseSums: [600, 1_200, 0, 6_000],
  phaseCounts: [60, 60, 0, 60],
  lastCheckedAtMs: 0,
  lastError: "",
  ...fields,
});

test("figures of several spans add up", () => {
  const first = figures({ atMs: 0, lastCheckedAtMs: 5 });
  const second = figures({
    atMs: 10,
    up: 58,
    buckets: [51, 70],
    counts: [58, 2],
    failedBuckets: [70],
    failedCounts: [2],
    lastCheckedAtMs: 15,
  });
  expect(mergeFigures([second, first])).toEqual({
    atMs: 0,
    seen: 120,
    up: 118,
    covered: 6,
    max: 200,
    sum: 18_000,
    buckets: [50, 51, 70],
    counts: [40, 78, 2],
    failedBuckets: [70],
    failedCounts: [2],
    phaseSums: [1_200, 2_400, 0, 12_000],
    phaseCounts: [120, 120, 0, 120],
    lastCheckedAtMs: 15,
    lastError: "",
  });
});

test("the newest failure comes from the newest span that has one", () => {
  const parts = [
    figures({ atMs: 20 }),
    figures({ atMs: 10, lastError: "second" }),
    figures({ atMs: 0, lastError: "first" }),
  ] as const;
  expect(mergeFigures([...parts]).lastError).toBe("second");
});

test("percentiles of successful checks exclude failures, and are absent if all failed", () => {
  const slow = { failedBuckets: [100], failedCounts: [30] };
  const half = mergedFigures([figures({ up: 30, buckets: [50, 100], counts: [30, 30], max: 20_000, ...slow })]);
  expect(half?.p95Ms).toBeGreaterThan(150);
  expect(half?.good?.p95Ms).toBeLessThan(10);
  expect(mergedFigures([figures({ up: 0, buckets: [100], counts: [30], ...slow })])?.good).toBeUndefined();
});
