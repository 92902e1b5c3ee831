import { expect, test } from "vitest";
import { quietUntil } from "./decide.ts";

const at = (text: string) => Date.parse(text);
const until = (start: string, end: string, timeZone: string, now: string) => {
  const endMs = quietUntil({ start, end, timeZone }, at(now));
  return endMs === null ? null : new Date(endMs).toISOString();
};

test.each([
  ["apply within a day", "12:00", "14:00", "2026-05-04T12:30:00Z", "2026-05-04T14:00:00.000Z"],
  ["apply at the first instant", "12:00", "14:00", "2026-05-04T12:00:00Z", "2026-05-04T14:00:00.000Z"],
  ["do not apply at the last instant", "12:00", "14:00", "2026-05-04T14:00:00Z", null],
  ["do not apply earlier", "12:00", "14:00", "2026-05-04T11:59:59.999Z", null],
  ["apply before midnight", "22:00", "07:00", "2026-05-04T23:00:00Z", "2026-05-05T07:00:00.000Z"],
  ["apply after midnight", "22:00", "07:00", "2026-05-05T06:59:00Z", "2026-05-05T07:00:00.000Z"],
  ["do not apply outside them", "22:00", "07:00", "2026-05-05T12:00:00Z", null],
  ["can end at midnight", "22:00", "00:00", "2026-05-05T22:30:00Z", "2026-05-06T00:00:00.000Z"],
])("quiet hours %s", (_, start, end, now, expected) => {
  expect(until(start, end, "UTC", now)).toBe(expected);
});

test("quiet hours follow the clock of their time zone, not the server's", () => {
  expect(until("22:00", "07:00", "Asia/Shanghai", "2026-05-04T15:00:00Z")).toBe("2026-05-04T23:00:00.000Z");
  expect(until("22:00", "07:00", "Asia/Shanghai", "2026-05-04T23:30:00Z")).toBeNull();
  expect(until("22:00", "07:00", "America/Los_Angeles", "2026-05-05T05:00:00Z")).toBe("2026-05-05T14:00:00.000Z");
});

test("quiet hours are an hour shorter when summer time begins, and an hour longer when it ends", () => {
  // Berlin: 29 March 2026 02:00 becomes 03:00; 25 October 2026 03:00 becomes 02:00.
  expect(until("22:00", "07:00", "Europe/Berlin", "2026-03-28T21:30:00Z")).toBe("2026-03-29T05:00:00.000Z");
  expect(until("22:00", "07:00", "Europe/Berlin", "2026-10-24T20:30:00Z")).toBe("2026-10-25T06:00:00.000Z");
});

test("quiet hours never end before they start, even if the clock skips or repeats a time", () => {
  // 02:30 does not exist on 29 March.
  expect(until("22:00", "02:30", "Europe/Berlin", "2026-03-29T00:59:00Z")).toBe("2026-03-29T01:30:00.000Z");
  expect(until("22:00", "02:30", "Europe/Berlin", "2026-03-29T01:30:00Z")).toBeNull();
  // 02:30 occurs twice on 25 October; the first counts.
  expect(until("02:30", "04:00", "Europe/Berlin", "2026-10-25T00:30:00Z")).toBe("2026-10-25T03:00:00.000Z");
  expect(until("02:30", "04:00", "Europe/Berlin", "2026-10-25T01:15:00Z")).toBe("2026-10-25T03:00:00.000Z");
  expect(until("02:15", "02:45", "Europe/Berlin", "2026-03-29T01:20:00Z")).toBe("2026-03-29T01:45:00.000Z");
});
