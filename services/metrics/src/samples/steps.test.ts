import { expect, test } from "vitest";
import { metricSteps } from "./metrics.ts";

const nowMs = Date.UTC(2026, 2, 5, 10, 17, 30);

test.each([
  ["1h", 60_000, 60, Date.UTC(2026, 2, 5, 10, 17)],
  ["24h", 300_000, 288, Date.UTC(2026, 2, 5, 10, 15)],
  ["7d", 3_600_000, 168, Date.UTC(2026, 2, 5, 10)],
  ["30d", 3_600_000, 720, Date.UTC(2026, 2, 5, 10)],
] as const)("%s has whole steps, the last of which contains the present", (range, stepMs, count, lastMs) => {
  const steps = metricSteps(range, nowMs);
  expect(steps).toEqual({ fromMs: lastMs - (count - 1) * stepMs, stepMs, count });
});
