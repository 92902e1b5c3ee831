import { describe, expect, it } from "vitest";
import { timeTicks } from "./scales.ts";

const at = (day: number, hour: number, minute = 0) => new Date(2026, 0, day, hour, minute).getTime();

describe("time axis ticks", () => {
  it("are round local times within the chart", () => {
    expect(timeTicks(at(2, 10, 3), at(2, 11, 3), 6)).toEqual([10, 20, 30, 40, 50, 60].map((each) => at(2, 10, each)));
    expect(timeTicks(at(2, 10, 5), at(3, 10, 0), 8)).toEqual(
      [12, 15, 18, 21, 24, 27, 30, 33].map((each) => at(2, each)),
    );
  });

  it("are at midnight if the chart spans days", () => {
    expect(timeTicks(at(2, 10), at(9, 10), 8)).toEqual([3, 4, 5, 6, 7, 8, 9].map((each) => at(each, 0)));
    expect(timeTicks(at(1, 0), at(30, 12), 4)).toEqual([1, 11, 21].map((each) => at(each, 0)));
  });

  it("do not greatly exceed the requested number, and an empty chart does not hang", () => {
    expect(timeTicks(at(2, 10), at(2, 10), 4)).toEqual([at(2, 10)]);
    expect(timeTicks(at(1, 0), at(1, 0) + 5 * 365 * 86_400_000, 4).length).toBeLessThan(70);
  });
});
