import { slotAfter } from "@sonde/kit/time/slots";
import { describe, expect, test } from "vitest";
import { isStale, silenceOf } from "./stale.ts";

const minute = 60_000;
const startMs = 1_790_000_000_000;
const due = { id: 5, intervalMs: minute, timeoutMs: 10_000, activeSinceMs: startMs };
const first = slotAfter(5, minute, startMs);
const third = first + 2 * minute;

test("it is stale once the third slot's result could have come and did not", () => {
  expect(isStale(due, null, third + 15_000)).toBe(false);
  expect(isStale(due, null, third + 15_001)).toBe(true);
});

test("a check makes it fresh for three more slots", () => {
  expect(isStale(due, third + 5, third + 16_000)).toBe(false);
  expect(isStale(due, third + 5, third + 2 * minute + 16_000)).toBe(false);
  expect(isStale(due, third + 5, third + 3 * minute + 16_000)).toBe(true);
});

test("a check or a beginning in the future, kept before the clock was set back, does not keep it fresh", () => {
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
  const silent = { ...due, locations: ["paris", "rome"], toldStale: false, hasStaleIncident: false };
  const staleMs = third + 15_001;
  const served = (since: Record<string, number>) => (location: string) => since[location] ?? null;

  test.each<[string, object, Record<string, number>, "own" | "location" | null]>([
    ["is its own where a location is served", {}, { rome: startMs }, "own"],
    ["is that of its locations where none is", {}, {}, "location"],
    ["is told with them once", { toldStale: true }, {}, null],
    ["waits while a location was served for less than three slots", {}, { rome: third }, null],
    ["becomes its own three slots after they are served again", { toldStale: true }, { rome: startMs }, "own"],
    ["is told by one incident of its own", { toldStale: true, hasStaleIncident: true }, { rome: startMs }, null],
  ])("%s", (_case, fields, since, expected) => {
    expect(silenceOf({ ...silent, ...fields }, startMs, served(since), staleMs)).toBe(expected);
  });

  test("is none before three slots are missed, wherever runners are", () =>
    expect(silenceOf(silent, startMs, served({}), third + 15_000)).toBeNull());
});
