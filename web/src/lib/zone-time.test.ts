import { describe, expect, it } from "vitest";
import { instantOf, wallTime, zonesWith } from "./zone-time.ts";

describe("wall-clock time of a zone", () => {
  it.each(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "UTC"])(
    "equals Temporal's in %s throughout a year",
    (zone) => {
      const wrong: string[] = [];
      const first = Temporal.PlainDateTime.from("2011-01-01T00:00");
      for (let step = 0; step < 2 * 24 * 365; step += 7) {
        const wall = first.add({ minutes: 30 * step });
        const text = wall.toString({ smallestUnit: "minute" });
        const expected = wall.toZonedDateTime(zone).epochMilliseconds;
        if (instantOf(text, zone) !== expected) wrong.push(text);
      }
      expect(wrong).toEqual([]);
    },
  );

  it.each([
    ["a skipped time", "2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
    ["a repeated time", "2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
    ["a repeated time west of Greenwich", "2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z"],
  ])("of %s is resolved as compatible", (_what, wall, zone, expected) => {
    expect(new Date(instantOf(wall, zone) ?? 0).toISOString()).toBe(expected);
  });

  it("converts back and forth, and rejects invalid times", () => {
    expect(wallTime(Date.parse("2026-01-01T23:30:59Z"), "Asia/Tokyo")).toBe("2026-01-02T08:30");
    expect(wallTime(Date.parse("2026-01-01T00:00:00Z"), "UTC")).toBe("2026-01-01T00:00");
    expect(instantOf("", "UTC")).toBeNull();
    expect(zonesWith("UTC")).toEqual(expect.arrayContaining(["Asia/Kolkata", "Europe/Kyiv", "Asia/Ho_Chi_Minh"]));
    expect(zonesWith("UTC")).not.toContain("Asia/Calcutta");
    // A saved outdated name stays.
    expect(zonesWith("Asia/Calcutta")).toContain("Asia/Calcutta");
    expect(zonesWith("Etc/GMT+5")).toEqual(expect.arrayContaining(["Etc/GMT+5", "UTC", "Europe/Berlin"]));
  });
});
