import { describe, expect, it } from "vitest";
import { bucket } from "../../../testing/fixtures.ts";
import { groupCells } from "./states.tsx";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 2, 0, minute)).toISOString();

describe("history cells", () => {
  it("distinguish up, partly down, down and no data", () => {
    const buckets = [bucket(at(0), 5), bucket(at(5), 5, 3), bucket(at(10), 5, 0), bucket(at(15), 0)];
    expect(groupCells(buckets, 300, 72).map(({ state }) => state)).toEqual(["up", "partial", "down", "noData"]);
  });

  it("distinguish missed slots from those that were not due", () => {
    const before = { ...bucket(at(0), 0), coverage: null };
    const states = (...buckets: Parameters<typeof groupCells>[0]) =>
      groupCells(buckets, 300, 1).map(({ state }) => state);
    expect(states(before, before)).toEqual(["notDue"]);
    expect(states(before, bucket(at(5), 0))).toEqual(["noData"]);
    expect(states(before, bucket(at(5), 5))).toEqual(["up"]);
  });

  it("mark maintenance, on its own if nothing was due and next to the state otherwise", () => {
    const covered = (checks: number, coverage: number | null) => ({
      ...bucket(at(0), checks),
      coverage,
      inMaintenance: true as const,
    });
    const told = (...buckets: Parameters<typeof groupCells>[0]) =>
      groupCells(buckets, 300, 1).map(({ state, inMaintenance }) => [state, inMaintenance]);
    expect(told(covered(0, null))).toEqual([["maintenance", true]]);
    expect(told(covered(0, 0))).toEqual([["noData", true]]);
    expect(told(covered(0, null), bucket(at(5), 5))).toEqual([["up", true]]);
    expect(told(bucket(at(5), 5))).toEqual([["up", false]]);
  });

  it("are grouped up to the maximum and summed up", () => {
    const buckets = [bucket(at(0), 5), bucket(at(5), 0), bucket(at(10), 5, 0), bucket(at(15), 5, 5), bucket(at(20), 0)];
    const groups = groupCells(buckets, 300, 3);
    expect(groups).toHaveLength(3);
    expect(groups.map(({ state, checks, availability }) => [state, checks, availability])).toEqual([
      ["up", 5, 100],
      ["partial", 10, 50],
      ["noData", 0, null],
    ]);
    expect(groups[0]).toMatchObject({ fromMs: Date.parse(at(0)), toMs: Date.parse(at(10)) });
    expect(groups[1]?.error).toBe("Status 503 is not the expected 200");
  });
});
