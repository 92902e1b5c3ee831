import { historyRanges, stepsOfRange } from "@sonde/proto/http/monitors/checks";
import { describe, expect, test } from "vitest";
import { stepsOf } from "./periods.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const nowMs = Date.UTC(2026, 2, 29, 1, 17, 30);
const textOf = (edges: readonly number[]) => edges.map((edge) => new Date(edge).toISOString().slice(0, 16));

test("24 hours are 288 steps of five minutes; the last one contains the present", () => {
  const { stepMs, edges } = stepsOf({ range: "24h" }, minuteMs, nowMs);
  expect(stepMs).toBe(5 * minuteMs);
  expect(edges).toHaveLength(289);
  expect(textOf(edges.slice(-2))).toEqual(["2026-03-29T01:15", "2026-03-29T01:20"]);
  expect(edges).toEqual(edges.map((_, edge) => (edges[0] ?? 0) + edge * stepMs));
});

test("30 days are 30 UTC days up to today", () => {
  const { stepMs, edges } = stepsOf({ range: "30d" }, minuteMs, nowMs);
  expect(stepMs).toBe(dayMs);
  expect(edges).toHaveLength(31);
  expect(textOf([edges[0] ?? 0, ...edges.slice(-1)])).toEqual(["2026-02-28T00:00", "2026-03-30T00:00"]);
});

test.each([
  ["1h", undefined, 60, minuteMs],
  ["1h", "5m", 12, 5 * minuteMs],
  ["24h", "1h", 24, hourMs],
  ["24h", "1d", 1, dayMs],
  ["7d", undefined, 168, hourMs],
  ["7d", "1d", 7, dayMs],
  ["30d", "1h", 720, hourMs],
] as const)("%s by %s has %i steps", (range, step, count, stepMs) => {
  const steps = stepsOf({ range, step }, minuteMs, nowMs);
  expect(steps).toMatchObject({ stepMs });
  expect(steps.edges).toHaveLength(count + 1);
  expect(steps.edges.at(-2)).toBeLessThanOrEqual(nowMs);
  expect(steps.edges.at(-1)).toBeGreaterThan(nowMs);
});

test("no range allows a step that results in more than a thousand steps", () => {
  for (const range of historyRanges) {
    for (const step of stepsOfRange[range]) {
      expect(stepsOf({ range, step }, minuteMs, nowMs).edges.length - 1).toBeLessThanOrEqual(1_000);
    }
  }
});

test.each([
  ["24h", 5, 5, 288],
  ["24h", 7, 10, 144],
  ["24h", 60, 60, 24],
  ["24h", 1_440, 1_440, 1],
  ["24h", 10_000, 10_000, 1],
  ["1h", 90, 90, 1],
  ["7d", 90, 120, 84],
  ["30d", 1_441, 2_880, 15],
  ["30d", 60_000, 60_480, 1],
] as const)(
  "over %s an interval of %i minutes results in steps of %i minutes, %i of them",
  (range, interval, step, count) => {
    const { stepMs, edges } = stepsOf({ range }, interval * minuteMs, nowMs);
    expect(stepMs / minuteMs).toBe(step);
    expect(edges).toHaveLength(count + 1);
    expect((edges[0] ?? 0) % stepMs).toBe(0);
    expect(edges.at(-1)).toBeGreaterThan(nowMs);
  },
);

test("an invalid interval counts as none, and an infinite one as 400 days", () => {
  expect(stepsOf({ range: "24h" }, Number.NaN, nowMs).stepMs).toBe(5 * minuteMs);
  expect(stepsOf({ range: "24h" }, -1, nowMs).stepMs).toBe(5 * minuteMs);
  const endless = stepsOf({ range: "30d" }, Number.POSITIVE_INFINITY, nowMs);
  expect(endless.stepMs).toBe(400 * dayMs);
  expect(endless.edges).toHaveLength(2);
});

describe("days of a time zone", () => {
  const daysOf = (timeZone: string, atMs = nowMs) =>
    textOf(stepsOf({ range: "7d", step: "1d", timeZone }, minuteMs, atMs).edges);

  test("begin at its midnight, and have 23 hours when daylight saving time starts", () => {
    // 29 March 2026, 01:00 UTC: Berlin switches from 02:00 to 03:00.
    expect(daysOf("Europe/Berlin").slice(-3)).toEqual(["2026-03-27T23:00", "2026-03-28T23:00", "2026-03-29T22:00"]);
  });

  test("follow the zone's date, which may differ from UTC's", () => {
    expect(daysOf("Pacific/Auckland", Date.UTC(2026, 5, 10, 13)).slice(-2)).toEqual([
      "2026-06-10T12:00",
      "2026-06-11T12:00",
    ]);
    expect(daysOf("America/Los_Angeles", Date.UTC(2026, 5, 10, 3)).slice(-2)).toEqual([
      "2026-06-09T07:00",
      "2026-06-10T07:00",
    ]);
  });

  test("may begin at half an hour, or an hour late if midnight is skipped", () => {
    expect(daysOf("Asia/Kolkata").slice(-2)).toEqual(["2026-03-28T18:30", "2026-03-29T18:30"]);
    // 6 September 2026: midnight in Santiago becomes 01:00, which is 04:00 UTC.
    expect(daysOf("America/Santiago", Date.UTC(2026, 8, 6, 12)).slice(-2)).toEqual([
      "2026-09-06T04:00",
      "2026-09-07T03:00",
    ]);
  });

  test("are grouped for longer intervals, in the same groups every day", () => {
    const edgesOn = (day: number) =>
      stepsOf({ range: "7d", step: "1d", timeZone: "Asia/Shanghai" }, 2 * dayMs, Date.UTC(2026, 5, day, 12)).edges;
    expect(edgesOn(10)).toHaveLength(5);
    expect(edgesOn(11).filter((edge) => edgesOn(10).includes(edge)).length).toBeGreaterThanOrEqual(4);
    expect(edgesOn(10)[1]! - edgesOn(10)[0]!).toBe(2 * dayMs);
  });

  test("are rejected for an unknown zone", () => {
    expect(() => daysOf("Mars/Olympus")).toThrow(RangeError);
  });
});
