import { expect, test } from "vitest";
import { writeCalendar } from "./calendar.ts";

const shift = {
  userId: 1,
  start: "2026-05-04T09:00:00.000Z",
  end: "2026-05-11T09:00:00.000Z",
  source: "layer",
} as const;
const calendar = (name: string, person?: string) =>
  writeCalendar({ id: 7, name, shifts: [shift], people: [{ id: 1, name: person }], host: "sonde.example.com" });
const unfolded = (text: string) => text.replaceAll("\r\n ", "").split("\r\n");

test("a shift is an event with its times in UTC and a permanent id", () => {
  expect(unfolded(calendar("Primary", "ada"))).toEqual([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Sonde//On call//EN",
    "METHOD:PUBLISH",
    "X-WR-CALNAME:Primary",
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
    "BEGIN:VEVENT",
    "UID:7-20260504T090000Z-1@sonde.example.com",
    "DTSTAMP:20260504T090000Z",
    "DTSTART:20260504T090000Z",
    "DTEND:20260511T090000Z",
    "SUMMARY:ada · Primary",
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]);
});

test("special characters are escaped, so that a name cannot add a line", () => {
  const lines = unfolded(calendar("a;b,c\\d\r\nEND:VCALENDAR\u0007", "x"));
  expect(lines).toContain("X-WR-CALNAME:a\\;b\\,c\\\\d\\nEND:VCALENDAR");
  expect(lines.filter((line) => line === "END:VCALENDAR")).toHaveLength(1);
});

test("lines are folded at 75 bytes, without splitting a character", () => {
  const name = "值班".repeat(40);
  const text = calendar(name, "ada");
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  expect(unfolded(text)).toContain(`X-WR-CALNAME:${name}`);
});

test("a deleted user appears by id", () => {
  expect(unfolded(calendar("Primary"))).toContain("SUMMARY:#1 · Primary");
});
