import { slotAfter } from "@sonde/kit/time/slots";
import { describe, expect, test } from "vitest";
import { isStale, silenceOf } from "./stale.ts";

const minute = 60_000;
const startMs = 1_790_000_000_000;
const due = { id: 5, intervalMs: minute, timeoutMs: 10_000, activeSinceMs: startMs };
const first = slotAfter(5, minute, startMs);
const third = first + 2 * minute;

test("a monitor is stale when the third slot's result is overdue", () => {
  expect(isStale(due, null, third + 15_000)).toBe(false);
  expect(isStale(due, null, third + 15_001)).toBe(true);
});

test("a check makes it fresh for three more slots", () => {
  expect(isStale(due, third + 5, third + 16_000)).toBe(false);
  expect(isStale(due, third + 5, third + 2 * minute + 16_000)).toBe(false);
  expect(isStale(due, third + 5, third + 3 * minute + 16_000)).toBe(true);
});

test("a future check or start, stored before the clock was set back, does not make it fresh", () => {
  const setBack = { ...due, activeSinceMs: third + 2 * 3_600_000 };
  expect(isStale(setBack, third + 5, third + 3 * minute + 16_000)).toBe(true);
  expect(isStale(due, third + 2 * 3_600_000, third)).toBe(false);
  expect(isStale(setBack, null, third)).toBe(true);
});

test("neither a paused monitor nor one that just became active is stale", () => {
  expect(isStale({ ...due, activeSinceMs: null }, startMs - 86_400_000, third + minute)).toBe(false);
  expect(isStale(due, startMs - 86_400_000, startMs + 2 * minute)).toBe(false);
});

describe("the silence of a monitor", () => {
  const silent = { ...due, locations: ["paris", "rome"], isStaleReported: false, hasStaleIncident: false };
  const staleMs = third + 15_001;
  const served = (since: Record<string, number>) => (location: string) => since[location] ?? null;

  test.each<[string, object, Record<string, number>, "own" | "location" | null]>([
    ["is its own if a location is served", {}, { rome: startMs }, "own"],
    ["is that of its locations if none is served", {}, {}, "location"],
    ["is reported with its locations once", { isStaleReported: true }, {}, null],
    ["is not reported until a location was served for three slots", {}, { rome: third }, null],
    ["becomes its own three slots after they are served again", { isStaleReported: true }, { rome: startMs }, "own"],
    [
      "is reported by one incident of its own",
      { isStaleReported: true, hasStaleIncident: true },
      { rome: startMs },
      null,
    ],
  ])("%s", (_case, fields, since, expected) => {
    expect(silenceOf({ ...silent, ...fields }, startMs, served(since), staleMs)).toBe(expected);
  });

  test("is not reported before three missed slots, with or without runners", () =>
    expect(silenceOf(silent, startMs, served({}), third + 15_000)).toBeNull());
});
