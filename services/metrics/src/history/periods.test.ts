import { expect, test } from "vitest";
import { cutDays, periodsOf, stepIndexAt } from "./periods.ts";

const minuteMs = 60_000;
const nowMs = Date.UTC(2026, 5, 10, 10, 17, 30);
const text = (atMs: number | undefined) => new Date(atMs ?? 0).toISOString().slice(0, 19);

test("the previous period is as long as the elapsed part of this one, and ends where it begins", () => {
  const { previousMs, bounds, isExact } = periodsOf({ range: "24h" }, minuteMs, nowMs);
  expect(isExact).toBe(true);
  expect(text(bounds[0])).toBe("2026-06-09T10:20:00");
  expect(text(previousMs)).toBe("2026-06-08T10:22:30");
});

test("a previous period read from hours begins with a whole hour", () => {
  const { previousMs, bounds, isExact } = periodsOf({ range: "7d" }, minuteMs, nowMs);
  expect(isExact).toBe(false);
  expect(text(bounds[0])).toBe("2026-06-03T11:00:00");
  expect(text(previousMs)).toBe("2026-05-27T11:00:00");
});

test("an hour that midnight divides counts for the day in which it began", () => {
  const { starts, bounds } = periodsOf({ range: "7d", step: "1d", timeZone: "Asia/Kolkata" }, minuteMs, nowMs);
  expect(text(starts[0])).toBe("2026-06-03T18:30:00");
  expect(text(bounds[0])).toBe("2026-06-03T19:00:00");
  expect(stepIndexAt(bounds, Date.UTC(2026, 5, 4, 18))).toBe(0);
  expect(stepIndexAt(bounds, Date.UTC(2026, 5, 4, 19))).toBe(1);
  expect(stepIndexAt(bounds, Date.UTC(2026, 5, 3, 18))).toBe(-1);
});

test("UTC days without a bound inside are read whole", () => {
  const day = (date: number) => Date.UTC(2026, 5, date);
  expect(cutDays([day(1), day(2), day(3)])).toEqual([]);
  expect(cutDays([day(1), day(2) + 3_600_000, day(2) + 7_200_000, day(3)])).toEqual([day(2)]);
});

test("a custom period has whole steps around it, and is exact while its checks are retained", () => {
  const at = (hour: number, minute = 0, day = 10) => new Date(Date.UTC(2026, 5, day, hour, minute)).toISOString();
  const of = (from: string, until: string, rawFromMs?: number) =>
    periodsOf({ range: "24h", from, until }, minuteMs, nowMs, rawFromMs);
  const hours = of(at(8, 0), at(9, 30));
  expect([hours.stepMs, hours.starts.length, hours.isExact]).toEqual([minuteMs, 90, true]);
  expect([text(hours.bounds[0]), text(hours.untilMs), text(hours.previousMs)]).toEqual([
    "2026-06-10T08:00:00",
    "2026-06-10T09:30:00",
    "2026-06-10T06:30:00",
  ]);
  const past = of(at(8, 0), at(9, 30), Date.UTC(2026, 5, 10, 9));
  expect([past.stepMs, past.starts.length, past.isExact]).toEqual([60 * minuteMs, 2, false]);
  const open = of(at(10), at(23));
  expect([text(open.untilMs), open.starts.length]).toEqual(["2026-06-10T10:17:30", 18]);
  const days = of(at(5, 0, 1), at(9));
  expect(days.starts.map(text)).toHaveLength(220);
  const month = periodsOf(
    { range: "24h", from: "2026-05-01T20:00:00Z", until: at(9), timeZone: "Asia/Shanghai" },
    minuteMs,
    nowMs,
  );
  expect([text(month.starts[0]), month.starts.length]).toEqual(["2026-05-01T16:00:00", 40]);
});

test("only a start extends to the present, only an end covers the range before it", () => {
  const from = periodsOf({ range: "24h", from: "2026-06-10T09:00:00Z" }, minuteMs, nowMs);
  expect([text(from.starts[0]), text(from.untilMs)]).toEqual(["2026-06-10T09:00:00", "2026-06-10T10:17:30"]);
  const until = periodsOf({ range: "24h", until: "2026-06-08T06:00:00Z" }, minuteMs, nowMs);
  expect([text(until.starts[0]), text(until.untilMs)]).toEqual(["2026-06-07T06:00:00", "2026-06-08T06:00:00"]);
  const hour = periodsOf({ range: "1h", until: "2026-06-08T06:00:00Z" }, minuteMs, nowMs);
  expect([text(hour.starts[0]), hour.starts.length]).toEqual(["2026-06-08T05:00:00", 60]);
});
