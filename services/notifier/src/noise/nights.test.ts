import { expect, test } from "vitest";
import { countNights } from "./nights.ts";

const at = (userId: number, time: string, notifications = 1) => ({
  userId,
  notifications,
  quarter: Date.parse(time) / 9e5,
});

test.each([
  ["before the evening", ["2026-03-02T21:45:00Z"], 0],
  ["from the evening on", ["2026-03-02T22:00:00Z"], 1],
  ["until the morning", ["2026-03-03T06:45:00Z"], 1],
  ["in the morning", ["2026-03-03T07:00:00Z"], 0],
  ["before and after midnight of one night", ["2026-03-02T23:00:00Z", "2026-03-03T03:00:00Z"], 1],
  ["in the morning and the evening of one day", ["2026-03-03T03:00:00Z", "2026-03-03T23:00:00Z"], 2],
  ["at noon", ["2026-03-03T12:00:00Z"], 0],
])("a notification %s", (_name, times, nights) => {
  const counted = countNights(
    times.map((time) => at(1, time)),
    () => "UTC",
  );
  expect(counted).toEqual(nights === 0 ? [] : [{ userId: 1, nights, notifications: times.length }]);
});

test("nights are those of the user's time zone, also when the clocks change, and the most woken comes first", () => {
  const zones: Record<number, string> = { 1: "Asia/Shanghai", 2: "Europe/Berlin", 3: "UTC" };
  const counted = countNights(
    [
      at(1, "2026-03-02T16:00:00Z", 5),
      at(1, "2026-03-03T02:00:00Z"),
      // 01:45 and 03:00 of the same night, in which the clocks skip an hour, and the next evening.
      at(2, "2026-03-29T00:45:00Z"),
      at(2, "2026-03-29T01:00:00Z"),
      at(2, "2026-03-29T20:00:00Z"),
      at(3, "2026-03-29T21:30:00Z"),
      at(3, "2026-03-29T23:30:00Z"),
    ],
    (id) => zones[id]!,
  );
  expect(counted).toEqual([
    { userId: 2, nights: 2, notifications: 3 },
    { userId: 1, nights: 1, notifications: 5 },
    { userId: 3, nights: 1, notifications: 1 },
  ]);
});
