import { expect, test } from "vitest";
import { quietUntil } from "./decide.ts";

const at = (text: string) => Date.parse(text);
const until = (start: string, end: string, timeZone: string, now: string) => {
  const endMs = quietUntil({ start, end, timeZone }, at(now));
  return endMs === null ? null : new Date(endMs).toISOString();
};

test.each([
  ["within a day", "12:00", "14:00", "2026-05-04T12:30:00Z", "2026-05-04T14:00:00.000Z"],
  ["at the first instant", "12:00", "14:00", "2026-05-04T12:00:00Z", "2026-05-04T14:00:00.000Z"],
  ["not at the last instant", "12:00", "14:00", "2026-05-04T14:00:00Z", null],
  ["not before", "12:00", "14:00", "2026-05-04T11:59:59.999Z", null],
  ["before midnight", "22:00", "07:00", "2026-05-04T23:00:00Z", "2026-05-05T07:00:00.000Z"],
  ["after midnight", "22:00", "07:00", "2026-05-05T06:59:00Z", "2026-05-05T07:00:00.000Z"],
  ["not by day", "22:00", "07:00", "2026-05-05T12:00:00Z", null],
  ["to midnight", "22:00", "00:00", "2026-05-05T22:30:00Z", "2026-05-06T00:00:00.000Z"],
])("quiet hours hold %s", (_, start, end, now, expected) => {
  expect(until(start, end, "UTC", now)).toBe(expected);
});

test("they follow their zone's clock, not the server's", () => {
  expect(until("22:00", "07:00", "Asia/Shanghai", "2026-05-04T15:00:00Z")).toBe("2026-05-04T23:00:00.000Z");
  expect(until("22:00", "07:00", "Asia/Shanghai", "2026-05-04T23:30:00Z")).toBeNull();
  expect(until("22:00", "07:00", "America/Los_Angeles", "2026-05-05T05:00:00Z")).toBe("2026-05-05T14:00:00.000Z");
});

test("the night in which summer time begins is an hour shorter, and the one in which it ends an hour longer", () => {
  // Berlin: 29 March 2026 02:00 becomes 03:00; 25 October 2026 03:00 becomes 02:00.
  expect(until("22:00", "07:00", "Europe/Berlin", "2026-03-28T21:30:00Z")).toBe("2026-03-29T05:00:00.000Z");
  expect(until("22:00", "07:00", "Europe/Berlin", "2026-10-24T20:30:00Z")).toBe("2026-10-25T06:00:00.000Z");
});

test("an end at a time that the clock skips, or a beginning at one that it shows twice, never turns the night round", () => {
  // 02:30 does not exist on 29 March.
  expect(until("22:00", "02:30", "Europe/Berlin", "2026-03-29T00:59:00Z")).toBe("2026-03-29T01:30:00.000Z");
  expect(until("22:00", "02:30", "Europe/Berlin", "2026-03-29T01:30:00Z")).toBeNull();
  // 02:30 comes twice on 25 October: from the first on.
  expect(until("02:30", "04:00", "Europe/Berlin", "2026-10-25T00:30:00Z")).toBe("2026-10-25T03:00:00.000Z");
  expect(until("02:30", "04:00", "Europe/Berlin", "2026-10-25T01:15:00Z")).toBe("2026-10-25T03:00:00.000Z");
  expect(until("02:15", "02:45", "Europe/Berlin", "2026-03-29T01:20:00Z")).toBe("2026-03-29T01:45:00.000Z");
});
