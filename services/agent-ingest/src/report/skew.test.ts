import { expect, test } from "vitest";
import { type ClockSkew, measureSkew } from "./skew.ts";

const nowMs = 1_800_000_000_000;
const minuteMs = 60_000;

/**
 * Returns the skew after each report. `offMs`: the newest sample relative to our clock. `afterMs`: since the previous
 * report.
 */
function skews(reports: readonly { offMs: number; afterMs?: number; sentOffMs?: number }[]): number[] {
  let known: ClockSkew | undefined;
  let receivedAtMs = nowMs;
  return reports.map(({ offMs, afterMs = 10_000, sentOffMs }) => {
    receivedAtMs += afterMs;
    const sentAtMs = sentOffMs === undefined ? undefined : receivedAtMs + sentOffMs;
    known = measureSkew({ receivedAtMs, newestAtMs: receivedAtMs + offMs, sentAtMs }, known);
    return known.skewMs;
  });
}

test("the clock in a report counts, however far ahead or behind", () => {
  expect(skews([{ offMs: 0, sentOffMs: 3_600_000 }])).toEqual([3_600_000]);
  expect(skews([{ offMs: -90_000_000, sentOffMs: -3_600_000 }])).toEqual([-3_600_000]);
});

test("transmission time is not skew", () => {
  expect(skews([{ offMs: -900 }, { offMs: -4_900, sentOffMs: -4_900 }, { offMs: 3_000 }])).toEqual([0, 0, 0]);
});

test("the correction does not vary with transmission time", () => {
  const reports = [60_400, 59_100, 61_900, 60_000].map((offMs) => ({ offMs, sentOffMs: offMs }));
  expect(skews(reports)).toEqual([60_000, 60_000, 60_000, 60_000]);
});

test("a sample up to five minutes ahead proves that the clock is", () => {
  expect(skews([{ offMs: 4 * minuteMs }])).toEqual([4 * minuteMs]);
  expect(skews([{ offMs: 6 * minuteMs }])).toEqual([0]);
});

test("a sample that is behind counts as skew only when a second one is behind by the same amount", () => {
  expect(skews([{ offMs: -10 * minuteMs }])).toEqual([0]);
  expect(skews([{ offMs: -10 * minuteMs }, { offMs: -10 * minuteMs }])).toEqual([0, -10 * minuteMs]);
});

test("a draining backlog is not skew", () => {
  const reports = [-60, -40, -20, 0].map((minutes) => ({ offMs: minutes * minuteMs, afterMs: 500 }));
  expect(skews(reports)).toEqual([0, 0, 0, 0]);
});

test("two simultaneous reports prove nothing", () => {
  expect(skews([{ offMs: -minuteMs }, { offMs: -minuteMs, afterMs: 100 }])).toEqual([0, 0]);
});
