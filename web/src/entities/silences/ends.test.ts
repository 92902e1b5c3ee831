import { describe, expect, it } from "vitest";
import { endsFrom } from "./ends.ts";

const at = (hour: number, minute: number) => new Date(2026, 0, 2, hour, minute).getTime();
const morningOf = (nowMs: number) => endsFrom(nowMs).find(({ name }) => name === "morning")?.end;

describe("the ends of a snooze or silence", () => {
  it("are half an hour, one, two and four hours, and the next 08:00", () => {
    expect(endsFrom(at(3, 12)).map(({ end }) => end)).toEqual([
      { minutes: 30 },
      { minutes: 60 },
      { minutes: 120 },
      { minutes: 240 },
      { until: new Date(2026, 0, 2, 8).toISOString() },
    ]);
  });

  it("use tomorrow if 08:00 has passed", () => {
    expect(morningOf(at(9, 0))).toEqual({ until: new Date(2026, 0, 3, 8).toISOString() });
  });

  it("omit 08:00 if the server would reject it: in less than five minutes or after more than a day", () => {
    expect(morningOf(at(7, 55))).toBeUndefined();
    expect(morningOf(at(8, 0))).toBeUndefined();
    expect(morningOf(at(7, 54))).toEqual({ until: new Date(2026, 0, 2, 8).toISOString() });
  });
});
