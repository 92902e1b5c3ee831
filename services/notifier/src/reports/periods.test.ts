import type { ReportEvery } from "@sonde/proto/http/reports";
import { expect, test } from "vitest";
import { periodAt, periodBefore, readPeriod, stepsOf } from "./periods.ts";

const hourMs = 3_600_000;

test.each<[ReportEvery, string, string, string, string, number]>([
  // every, zone, instant, id, beginning, hours
  ["day", "UTC", "2026-11-28T23:59:59Z", "2026-11-28", "2026-11-28T00:00:00Z", 24],
  ["day", "Asia/Shanghai", "2026-11-28T16:00:00Z", "2026-11-29", "2026-11-28T16:00:00Z", 24],
  ["day", "Asia/Kolkata", "2026-11-28T18:29:59Z", "2026-11-28", "2026-11-27T18:30:00Z", 24],
  ["day", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-29", "2026-03-28T23:00:00Z", 23],
  ["day", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25", "2026-10-24T22:00:00Z", 25],
  // Midnight does not exist on this day.
  ["day", "America/Asuncion", "2024-10-06T12:00:00Z", "2024-10-06", "2024-10-06T04:00:00Z", 23],
  ["day", "Australia/Lord_Howe", "2026-10-04T12:00:00Z", "2026-10-04", "2026-10-03T13:30:00Z", 23.5],
  ["week", "Europe/Berlin", "2026-11-29T22:59:59Z", "2026-W48", "2026-11-22T23:00:00Z", 168],
  ["week", "Europe/Berlin", "2026-03-26T12:00:00Z", "2026-W13", "2026-03-22T23:00:00Z", 167],
  ["week", "Europe/Berlin", "2026-10-22T12:00:00Z", "2026-W43", "2026-10-18T22:00:00Z", 169],
  // The first days of a year may belong to the last week of the year before, and the other way around.
  ["week", "UTC", "2027-01-03T12:00:00Z", "2026-W53", "2026-12-28T00:00:00Z", 168],
  ["week", "UTC", "2024-12-30T00:00:00Z", "2025-W01", "2024-12-30T00:00:00Z", 168],
  ["month", "America/New_York", "2026-11-01T03:59:59Z", "2026-10", "2026-10-01T04:00:00Z", 744],
  ["month", "America/New_York", "2026-11-01T04:00:00Z", "2026-11", "2026-11-01T04:00:00Z", 721],
  ["month", "Europe/Berlin", "2028-02-29T12:00:00Z", "2028-02", "2028-01-31T23:00:00Z", 696],
  ["year", "Asia/Tokyo", "2026-12-31T14:59:59Z", "2026", "2025-12-31T15:00:00Z", 8760],
  ["year", "UTC", "2028-06-01T00:00:00Z", "2028", "2028-01-01T00:00:00Z", 8784],
])("every %s in %s, at %s: %s", (every, timeZone, at, id, from, hours) => {
  const period = periodAt(every, timeZone, Date.parse(at));
  expect(period).toEqual({ every, id, fromMs: Date.parse(from), untilMs: Date.parse(from) + hours * hourMs });
  expect(readPeriod(every, timeZone, id)).toEqual(period);
  expect(periodBefore(timeZone, period).untilMs).toBe(period.fromMs);
  const { steps, edges } = stepsOf(timeZone, period);
  expect([edges[0], edges.at(-1), edges.length]).toEqual([period.fromMs, period.untilMs, steps.length + 1]);
});

test.each<[ReportEvery, string]>([
  ["day", "2026-02-30"],
  ["day", "2026-11"],
  ["week", "2026-W00"],
  ["week", "2025-W53"],
  ["week", "2026-11-23"],
  ["month", "2026-13"],
  ["month", "2026-W48"],
  ["month", "2026"],
  ["year", "2026-01"],
  ["year", "x"],
])("every %s has no period %s", (every, id) => {
  expect(readPeriod(every, "UTC", id)).toBeUndefined();
});

test("a week has its days as steps, and a year its months", () => {
  const week = stepsOf("Europe/Berlin", readPeriod("week", "Europe/Berlin", "2026-W13")!);
  expect(week.steps).toEqual([
    "2026-03-23",
    "2026-03-24",
    "2026-03-25",
    "2026-03-26",
    "2026-03-27",
    "2026-03-28",
    "2026-03-29",
  ]);
  expect(week.edges.at(-1)! - week.edges.at(-2)!).toBe(23 * hourMs);
  const year = stepsOf("UTC", readPeriod("year", "UTC", "2026")!);
  expect([year.steps.length, year.steps[0], year.steps[11]]).toEqual([12, "2026-01", "2026-12"]);
});
