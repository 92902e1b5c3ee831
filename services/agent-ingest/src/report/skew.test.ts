import { expect, test } from "vitest";
import { type KnownSkew, measureSkew } from "./skew.ts";

const nowMs = 1_800_000_000_000;
const minuteMs = 60_000;

/** The skew after each report: how far its newest sample is from our clock, and when it came. */
function story(reports: readonly { offMs: number; afterMs?: number; sentOffMs?: number }[]): number[] {
  let known: KnownSkew | undefined;
  let receivedAtMs = nowMs;
  return reports.map(({ offMs, afterMs = 10_000, sentOffMs }) => {
    receivedAtMs += afterMs;
    const sentAtMs = sentOffMs === undefined ? undefined : receivedAtMs + sentOffMs;
    known = measureSkew({ receivedAtMs, newestAtMs: receivedAtMs + offMs, sentAtMs }, known);
    return known.skewMs;
  });
}

test("a report that says its clock is believed, ahead or behind, however far", () => {
  expect(story([{ offMs: 0, sentOffMs: 3_600_000 }])).toEqual([3_600_000]);
  expect(story([{ offMs: -90_000_000, sentOffMs: -3_600_000 }])).toEqual([-3_600_000]);
});

test("the way of a report is no skew", () => {
  expect(story([{ offMs: -900 }, { offMs: -4_900, sentOffMs: -4_900 }, { offMs: 3_000 }])).toEqual([0, 0, 0]);
});

test("a correction does not tremble with the way of reports", () => {
  const reports = [60_400, 59_100, 61_900, 60_000].map((offMs) => ({ offMs, sentOffMs: offMs }));
  expect(story(reports)).toEqual([60_000, 60_000, 60_000, 60_000]);
});

test("a sample ahead of us shows a clock that is, up to five minutes", () => {
  expect(story([{ offMs: 4 * minuteMs }])).toEqual([4 * minuteMs]);
  expect(story([{ offMs: 6 * minuteMs }])).toEqual([0]);
});

test("a sample behind us may be late: it is believed until a second one is behind by the same", () => {
  expect(story([{ offMs: -10 * minuteMs }])).toEqual([0]);
  expect(story([{ offMs: -10 * minuteMs }, { offMs: -10 * minuteMs }])).toEqual([0, -10 * minuteMs]);
});

test("a backlog that drains is no skew: it comes nearer with each report", () => {
  const reports = [-60, -40, -20, 0].map((minutes) => ({ offMs: minutes * minuteMs, afterMs: 500 }));
  expect(story(reports)).toEqual([0, 0, 0, 0]);
});

test("two reports in the same instant prove nothing", () => {
  expect(story([{ offMs: -minuteMs }, { offMs: -minuteMs, afterMs: 100 }])).toEqual([0, 0]);
});
