import { expect, test } from "vitest";
import { readRule } from "./rule.ts";
import {
  dayMs,
  occurrenceAt,
  occurrencesAfter,
  occurrencesBetween,
  overlapsItself,
  type Schedule,
} from "./schedule.ts";

const at = (text: string) => Temporal.ZonedDateTime.from(text).epochMilliseconds;
const scheduleOf = (start: string, end: string, rrule: string): Schedule => ({
  startMs: at(start),
  endMs: at(end),
  timeZone: Temporal.ZonedDateTime.from(start).timeZoneId,
  rule: readRule(rrule),
});
/** In the clock of its zone, with durations in hours. */
const shown = (schedule: Schedule, days = 400) =>
  occurrencesBetween(schedule, schedule.startMs - 1, schedule.startMs + days * dayMs).map(({ fromMs, toMs }) => {
    const clock = (ms: number) =>
      Temporal.Instant.fromEpochMilliseconds(ms)
        .toZonedDateTimeISO(schedule.timeZone)
        .toString({ smallestUnit: "minute", timeZoneName: "never" });
    return `${clock(fromMs)} ${(toMs - fromMs) / 3_600_000} h`;
  });

test("a schedule without a rule has one occurrence", () => {
  const once = scheduleOf("2026-03-28T22:00[Europe/Berlin]", "2026-03-29T06:00[Europe/Berlin]", "");
  expect(shown(once)).toEqual(["2026-03-28T22:00+01:00 7 h"]);
  expect(occurrencesAfter(once, once.startMs, once.endMs)).toEqual([]);
});

test("a weekly occurrence keeps its wall-clock times when summer time begins and ends", () => {
  const spring = scheduleOf(
    "2026-03-22T01:00[Europe/Berlin]",
    "2026-03-22T04:00[Europe/Berlin]",
    "FREQ=WEEKLY;COUNT=3",
  );
  expect(shown(spring)).toEqual([
    "2026-03-22T01:00+01:00 3 h",
    "2026-03-29T01:00+01:00 2 h",
    "2026-04-05T01:00+02:00 3 h",
  ]);
  const autumn = scheduleOf(
    "2026-10-18T01:00[Europe/Berlin]",
    "2026-10-18T04:00[Europe/Berlin]",
    "FREQ=WEEKLY;COUNT=3",
  );
  expect(shown(autumn)).toEqual([
    "2026-10-18T01:00+02:00 3 h",
    "2026-10-25T01:00+02:00 4 h",
    "2026-11-01T01:00+01:00 3 h",
  ]);
  const york = scheduleOf(
    "2026-03-07T23:00[America/New_York]",
    "2026-03-08T05:00[America/New_York]",
    "FREQ=DAILY;COUNT=2",
  );
  expect(shown(york)).toEqual(["2026-03-07T23:00-05:00 5 h", "2026-03-08T23:00-04:00 6 h"]);
});

test("a skipped time is an hour later, and a repeated time is the first", () => {
  const skipped = scheduleOf(
    "2026-03-28T02:30[Europe/Berlin]",
    "2026-03-28T03:30[Europe/Berlin]",
    "FREQ=DAILY;COUNT=3",
  );
  expect(shown(skipped)).toEqual([
    "2026-03-28T02:30+01:00 1 h",
    "2026-03-29T03:30+02:00 1 h",
    "2026-03-30T02:30+02:00 1 h",
  ]);
  const twice = scheduleOf(
    "2026-10-31T01:30[America/New_York]",
    "2026-10-31T02:30[America/New_York]",
    "FREQ=DAILY;COUNT=3",
  );
  expect(shown(twice)).toEqual([
    "2026-10-31T01:30-04:00 1 h",
    "2026-11-01T01:30-04:00 2 h",
    "2026-11-02T01:30-05:00 1 h",
  ]);
});

test("an occurrence that a day skips completely lasts as long as the first", () => {
  const gone = scheduleOf(
    "2026-03-07T02:00[America/New_York]",
    "2026-03-07T03:00[America/New_York]",
    "FREQ=DAILY;COUNT=2",
  );
  expect(shown(gone)).toEqual(["2026-03-07T02:00-05:00 1 h", "2026-03-08T03:00-04:00 1 h"]);
});

test("a day that a zone skipped is covered once", () => {
  const samoa = scheduleOf("2011-12-29T10:00[Pacific/Apia]", "2011-12-29T11:00[Pacific/Apia]", "FREQ=DAILY;COUNT=3");
  expect(shown(samoa)).toEqual(["2011-12-29T10:00-10:00 1 h", "2011-12-31T10:00+14:00 1 h"]);
});

test("supports the last Sunday of each month, with the start before it", () => {
  const monthly = scheduleOf("2026-01-10T03:00[UTC]", "2026-01-10T04:00[UTC]", "FREQ=MONTHLY;BYDAY=-1SU");
  expect(shown(monthly, 90).map((text) => text.slice(0, 10))).toEqual([
    "2026-01-10",
    "2026-01-25",
    "2026-02-22",
    "2026-03-29",
  ]);
});

test("COUNT includes the start, and UNTIL includes its instant, in the schedule's zone by default", () => {
  const days = (rrule: string) =>
    shown(scheduleOf("2026-01-01T23:30[America/New_York]", "2026-01-02T00:30[America/New_York]", rrule)).length;
  expect(days("FREQ=DAILY;COUNT=4")).toBe(4);
  expect(days("FREQ=DAILY;UNTIL=20260103")).toBe(3);
  expect(days("FREQ=DAILY;UNTIL=20260103T233000")).toBe(3);
  expect(days("FREQ=DAILY;UNTIL=20260103T232959")).toBe(2);
  // 23:30 in New York is 04:30 of the next day in UTC.
  expect(days("FREQ=DAILY;UNTIL=20260104T043000Z")).toBe(3);
  expect(days("FREQ=DAILY;UNTIL=20260104T042959Z")).toBe(2);
});

test("finds the running occurrence, and the next one however far ahead", () => {
  const leap = scheduleOf("2026-02-28T10:00[UTC]", "2026-02-28T12:00[UTC]", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29");
  expect(occurrenceAt(leap, leap.startMs)).toEqual({ fromMs: leap.startMs, toMs: leap.endMs });
  expect(occurrenceAt(leap, leap.endMs)).toBeUndefined();
  const next = occurrencesAfter(leap, leap.endMs, leap.endMs + 31 * dayMs);
  expect(next.map(({ fromMs }) => new Date(fromMs).toISOString())).toEqual(["2028-02-29T10:00:00.000Z"]);
});

test("a rule without any day ends after its start", () => {
  const never = scheduleOf("2026-01-01T10:00[UTC]", "2026-01-01T11:00[UTC]", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30");
  expect(occurrencesAfter(never, never.startMs - 1, never.startMs + dayMs)).toHaveLength(1);
  expect(occurrencesAfter(never, never.startMs, never.startMs + dayMs)).toEqual([]);
});

test("detects occurrences that overlap the next, but not those that touch it", () => {
  const lasting = (end: string, rrule: string) =>
    overlapsItself(scheduleOf("2026-03-02T00:00[Europe/Berlin]", end, rrule));
  expect(lasting("2026-03-03T00:00[Europe/Berlin]", "FREQ=DAILY")).toBe(false);
  expect(lasting("2026-03-03T00:01[Europe/Berlin]", "FREQ=DAILY")).toBe(true);
  expect(lasting("2026-03-06T00:00[Europe/Berlin]", "FREQ=WEEKLY;BYDAY=MO,TH")).toBe(true);
  expect(lasting("2026-03-05T00:00[Europe/Berlin]", "FREQ=WEEKLY;BYDAY=MO,TH")).toBe(false);
  expect(lasting("2026-04-02T00:00[Europe/Berlin]", "")).toBe(false);
});

test("an occurrence that overlaps the next ends where that begins", () => {
  const february = scheduleOf("2026-01-31T00:00[UTC]", "2026-03-02T00:00[UTC]", "FREQ=MONTHLY;BYMONTHDAY=31,1");
  const found = occurrencesAfter(february, february.startMs - 1, february.startMs + 59 * dayMs);
  // January 31, February 1 (for 30 days), March 1 and 31.
  expect(found.map(({ toMs }) => new Date(toMs).toISOString().slice(0, 10))).toEqual([
    "2026-02-01",
    "2026-03-01",
    "2026-03-31",
    "2026-04-30",
  ]);
});
