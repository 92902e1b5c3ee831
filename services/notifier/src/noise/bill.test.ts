import { describe, expect, test } from "vitest";
import { type Alerted, alertsOf, best, type Parent, weigh, weighDependency } from "./bill.ts";

const minute = 60_000;
const outage = (fromMinute: number, toMinute: number | null) => ({
  openedAtMs: fromMinute * minute,
  closedAtMs: toMinute === null ? null : toMinute * minute,
});
const past = (...incidents: [from: number, to: number | null, alerts: number][]): Alerted[] =>
  incidents.map(([from, to, alerts]) => ({ ...outage(from, to), alerts }));
const change = { field: "retries", value: 3 } as const;

test.each([
  ["none", [], past([0, 1, 2], [10, 11, 2]), 0],
  ["the same", [outage(0, 1), outage(10, 11)], past([0, 1, 2], [10, 11, 2]), 4],
  ["one that vanishes takes its alerts with it", [outage(10, 11)], past([0, 1, 2], [10, 11, 5]), 5],
  ["of merged ones the largest set stays", [outage(0, 11)], past([0, 1, 2], [5, 6, 4], [10, 11, 2]), 4],
  ["of one that is split, each part has its alerts", [outage(0, 3), outage(5, 9)], past([0, 9, 2]), 4],
  ["one that did not open then has as many as usual", [outage(50, 51)], past([0, 1, 2], [10, 11, 3]), 3],
  ["an open one", [outage(2, null)], past([1, null, 2]), 2],
])("alerts of outages: %s", (_name, outages, incidents, alerts) => {
  expect(alertsOf(outages, incidents)).toBe(alerts);
});

describe("weighing a change", () => {
  const now = [outage(0, 2), outage(10, 14), outage(20, 60), outage(70, 90)];
  const incidents = past([0, 2, 2], [10, 14, 2], [20, 60, 2], [70, 90, 2]);

  test("counts alerts, delays of what is still reported, and short outages that are not", () => {
    const after = [outage(20.5, 60), outage(72, 90)];
    expect(weigh(change, now, after, incidents)).toEqual({
      change,
      alerts: 4,
      laterMs: 2 * minute,
      unreported: 2,
    });
  });

  test("finds nothing unreported and no delay in merged outages", () => {
    const expected = { change, alerts: 2, laterMs: 0, unreported: 0 };
    expect(weigh(change, now, [outage(0, 90)], incidents)).toEqual(expected);
  });

  test.each([
    ["five minutes", outage(0, 5)],
    ["still open", outage(0, null)],
  ])("refuses to miss an outage that is %s", (_name, missed) => {
    expect(weigh(change, [outage(-9, -8), missed], [outage(-9, -8)], [])).toBeNull();
  });

  test("refuses to report an outage five minutes later", () => {
    expect(weigh(change, [outage(0, 60)], [outage(4.9, 60)], [])).not.toBeNull();
    expect(weigh(change, [outage(0, 60)], [outage(5, 60)], [])).toBeNull();
  });
});

describe("weighing a dependency", () => {
  const target = { key: "monitor:1", intervalMs: minute };
  const parent = (outages: Parent["outages"], dependsOn: string[] = [], key = "agent:3"): Parent => ({
    key,
    name: "host",
    dependsOn,
    outages,
  });
  const incidents = past([10, 12, 2], [30, 31, 2], [50, 80, 3], [100, 101, 2]);

  test("drops alerts of incidents that end before the parent recovers, and defers those of longer ones", () => {
    const found = weighDependency(target, parent([outage(9, 40), outage(50, 60)]), incidents);
    // Released after the parent has recovered, an interval, and a few seconds.
    expect(found).toMatchObject({
      change: {
        field: "dependsOn",
        target: {
          type: "agent",
          id: 3,
          name: "host",
        },
      },
      alerts: 5,
      unreported: 0,
    });
    expect(found?.laterMs).toBeGreaterThanOrEqual(11 * minute);
    expect(found?.laterMs).toBeLessThan(12 * minute);
  });

  test.each([
    ["went down afterwards", parent([outage(10.1, 40), outage(50.1, 60)])],
    ["was down at half of them only", parent([outage(9, 40)])],
    ["was never down", parent([])],
    ["depends on the target", parent([outage(0, 200)], ["monitor:1"], "monitor:2")],
  ])("finds nothing if the parent %s", (_name, given) => {
    expect(weighDependency(target, given, incidents)).toBeNull();
  });

  test("drops all alerts while the parent stays down", () => {
    expect(weighDependency(target, parent([outage(0, null)]), incidents)).toMatchObject({ alerts: 0 });
  });
});

test("of each field the soonest of those that avoid most is offered, the one with fewest alerts first", () => {
  const alternative = (field: "retries" | "recoverAfter", value: number, alerts: number, laterMs: number) => ({
    change: {
      field,
      value,
    },
    alerts,
    laterMs,
    unreported: 0,
  });
  const few = alternative("retries", 1, 9, 10);
  const most = alternative("retries", 5, 4, 50);
  const enough = alternative("retries", 3, 8, 30);
  const merged = alternative("recoverAfter", 2, 1, 0);
  const moreMerged = alternative("recoverAfter", 5, 0, 0);
  const useless = alternative("recoverAfter", 3, 20, 0);
  expect(best([few, most, null, enough, useless, merged, moreMerged], 20)).toEqual([moreMerged, enough]);
  expect(best([useless, null], 20)).toEqual([]);
});
