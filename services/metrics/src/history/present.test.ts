import { expect, test } from "vitest";
import { presentHistory } from "./present.ts";

const present = (more: object) =>
  presentHistory({
    stepMs: 300_000,
    buckets: [],
    summary: { fromMs: 0, untilMs: 3_600_000, expected: 60 },
    changes: [],
    ...more,
  });

test("a period without checks has no uptime, and a missing previous period is null", () => {
  const { summary, previous, step } = present({});
  expect([step, previous]).toEqual([300, null]);
  expect(summary).toEqual({
    from: "1970-01-01T00:00:00.000Z",
    until: "1970-01-01T01:00:00.000Z",
    checks: 0,
    failures: 0,
    uptime: null,
    coverage: 0,
    avg: null,
    p50: null,
    p95: null,
  });
});

test("a period is shown in percent, with null for unknown values", () => {
  const period = { fromMs: 0, untilMs: 1, checks: 3, failures: 1, expected: 5, avgMs: 10, p50Ms: 9 };
  const shown = { checks: 3, failures: 1, uptime: 66.667, coverage: 60, avg: 10, p50: 9, p95: null };
  expect(present({ summary: period }).summary).toMatchObject(shown);
  expect(present({ previous: period }).previous).toMatchObject(shown);
});

test("a step shows the phases that its checks had, or none without checks", () => {
  const timings = { dnsMs: 1.26, connectMs: 2, firstByteMs: 4, totalMs: 10 };
  const seen = { startMs: 0, checks: 3, up: 2, expected: 5, avgMs: 10, timings, inMaintenance: false };
  const empty = { startMs: 1, expected: 0, inMaintenance: true };
  const { buckets } = present({ buckets: [seen, empty] });
  expect(buckets[0]).toMatchObject({ availability: 66.667, coverage: 60, p50: null });
  expect(buckets[0]?.timings).toEqual({ dns: 1.3, connect: 2, firstByte: 4, total: 10 });
  expect(buckets[1]).toMatchObject({ availability: null, coverage: null, inMaintenance: true });
  expect(buckets[1]?.timings).toBeUndefined();
});
