import { expect, test } from "vitest";
import { randomOf } from "../testing/results.ts";
import { growth, percentileMs } from "./histogram.ts";

/** The bucket of a value, by the same definition as the SQL. */
const bucketOf = (tenths: number) =>
  tenths === 0 ? 0 : Math.min(255, 1 + Math.floor(Math.log(tenths) / Math.log(1.08)));

function histogramOf(tenths: readonly number[]) {
  const groups = Map.groupBy(tenths, bucketOf);
  return {
    buckets: [...groups.keys()],
    counts: [...groups.values()].map((group) => group.length),
    max: Math.max(...tenths),
  };
}

test("a percentile is within one 8 % step of the exact one", () => {
  const random = randomOf(3);
  const tenths = Array.from({ length: 5_000 }, () => Math.round(Math.exp(4 + 4 * random() ** 2)));
  const exact = tenths.toSorted((left, right) => left - right);
  for (const fraction of [0.01, 0.25, 0.5, 0.9, 0.95, 0.99]) {
    const truth = (exact[Math.ceil(fraction * exact.length) - 1] ?? 0) / 10;
    const actual = percentileMs(histogramOf(tenths), fraction);
    expect(actual / truth).toBeGreaterThan(1 / 1.08);
    expect(actual / truth).toBeLessThan(1.08);
  }
});

test("a bucket with a single value is exact, and no percentile exceeds the maximum", () => {
  for (const tenths of [1, 2, 5, 9, 11]) expect(percentileMs(histogramOf([tenths, tenths]), 0.5)).toBe(tenths / 10);
  expect(percentileMs(histogramOf([0, 0]), 0.95)).toBe(0);
  expect(percentileMs(histogramOf([100, 100_000]), 1)).toBe(10_000);
  // All values are equal: within the step, and never above the maximum.
  expect(percentileMs(histogramOf([1190, 1190, 1190]), 0.95)).toBe(119);
});

test("no bucket's floor or middle is so close to a whole number that rounding could differ between machines", () => {
  for (let bucket = 0; bucket <= 255; bucket++) {
    for (const value of [growth ** (bucket - 1), growth ** (bucket - 0.5)]) {
      // 1.08 to the power of 0 is exactly 1 everywhere.
      if (value === 1) continue;
      expect(Math.abs(value - Math.round(value)) / value, `bucket ${bucket}`).toBeGreaterThan(1e-12);
    }
  }
});

test("the order of buckets does not matter", () => {
  const { buckets, counts, ...bounds } = histogramOf([10, 20, 30, 40, 5_000]);
  const turned = { buckets: buckets.toReversed(), counts: counts.toReversed(), ...bounds };
  expect(percentileMs(turned, 0.5)).toBe(percentileMs({ buckets, counts, ...bounds }, 0.5));
});
