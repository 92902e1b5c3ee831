import type { PublicIncident } from "@sonde/proto/http/status/status";
import { expect, test } from "vitest";
import { barOf, type DayCounts, dayMs, dayOf, incidentDays } from "./days.ts";

const counts = (given: Partial<DayCounts> = {}): DayCounts => ({
  expected: 0,
  seen: 0,
  up: 0,
  maintenanceMinutes: 0,
  pausedMinutes: 0,
  ...given,
});
const day = dayOf(Date.UTC(2026, 0, 31));
const none = () => 0;

test("percentages of days and of the whole bar come from the same counts", () => {
  const days = [counts({ expected: 1440, seen: 1440, up: 1440 }), counts({ expected: 1440, seen: 360, up: 180 })];
  const bar = barOf({ firstDay: day - 1, days }, { lastDay: day, count: 2 }, none);
  expect(bar.days).toEqual([
    { date: "2026-01-30", uptime: 100, coverage: 100 },
    { date: "2026-01-31", uptime: 50, coverage: 25 },
  ]);
  // 1620 of 1800 seen were up; 1800 of 2880 due were seen.
  expect([bar.uptime, bar.coverage]).toEqual([90, 62.5]);
});

test("a day without checks has no uptime, and one without due checks no coverage", () => {
  const days = [
    counts({ expected: 10 }),
    counts({ maintenanceMinutes: 1440 }),
    counts({ pausedMinutes: 1440 }),
    counts(),
  ];
  expect(barOf({ firstDay: day - 3, days }, { lastDay: day, count: 4 }, none)).toEqual({
    uptime: null,
    coverage: 0,
    days: [
      { date: "2026-01-28", uptime: null, coverage: 0 },
      { date: "2026-01-29", uptime: null, coverage: null, maintenanceMinutes: 1440 },
      { date: "2026-01-30", uptime: null, coverage: null, pausedMinutes: 1440 },
      { date: "2026-01-31", uptime: null, coverage: null },
    ],
  });
});

test("only uninterrupted uptime is 100 %", () => {
  const days = [counts({ expected: 1_000_000, seen: 1_000_000, up: 999_999 })];
  const bar = barOf({ firstDay: day, days }, { lastDay: day, count: 1 }, none);
  expect([bar.uptime, bar.days[0]?.uptime]).toEqual([99.999, 99.999]);
});

test("days without counts, for example while metrics is unavailable over midnight, are shown as not covered", () => {
  const days = [counts({ expected: 10, seen: 10, up: 10 })];
  const bar = barOf({ firstDay: day - 1, days }, { lastDay: day, count: 3 }, none);
  expect(bar.days.map(({ uptime, coverage }) => [uptime, coverage])).toEqual([
    [null, 0],
    [100, 100],
    [null, 0],
  ]);
  expect(bar.uptime).toBe(100);
});

test("an incident counts on each day it touches, for each target, and an open one up to now", async () => {
  const shop = { type: "monitor" as const, id: 1, name: "Shop" };
  const agent = { type: "agent" as const, id: 1, name: "Server" };
  const incident = (given: Partial<PublicIncident>): PublicIncident => ({
    id: "m1",
    kind: "down",
    targets: [shop],
    openedAt: new Date((day - 2) * dayMs + 1).toISOString(),
    updates: [],
    ...given,
  });
  const midnight = new Date((day - 1) * dayMs).toISOString();
  const incidents = [
    incident({ closedAt: midnight }),
    incident({ targets: [shop, agent] }),
    incident({ openedAt: "2020-01-01T00:00:00.000Z", closedAt: "2020-01-02T00:00:00.000Z" }),
  ];
  const found = await incidentDays(incidents, { firstDay: day - 1, lastDay: day }, async () => {});
  const counted = (target: typeof shop | typeof agent) =>
    [day - 2, day - 1, day, day + 1].map((on) => found(target, on));
  expect(counted(shop)).toEqual([0, 2, 1, 0]);
  expect(counted(agent)).toEqual([0, 1, 1, 0]);
});
