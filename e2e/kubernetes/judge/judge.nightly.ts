import { slotAfter } from "@sonde/kit/time/slots";
import { expect, test } from "vitest";
import { rateOf } from "../../kills/agents.ts";
import type { Hook } from "../target/control.ts";
import { judgeAlerts } from "./alerts.ts";
import { compareSamples } from "./samples.ts";
import { countSlots } from "./slots.ts";

// The judges of a cluster run must detect losses.
const intervalMs = 15_000;
const first = slotAfter(7, intervalMs, 1_000_000_000);
const slots = [0, 1, 2, 3].map((k) => first + k * intervalMs);
const window = [first - 1, first + 4 * intervalMs] as const;
const count = (arrivals: number[]) => countSlots(new Map([[7, 70]]), new Map([[70, arrivals]]), intervalMs, window);

test("each slot with one request counts once, even if it is late", () => {
  const late = [5, 20, 4000, 14_000].map((lateMs, index) => slots[index]! + lateMs);
  expect(count(late)).toMatchObject({ due: 4, doubled: 0, missing: [] });
  expect(count(late).requested).toHaveLength(4);
});

test("a second request for a slot counts as doubled, and a slot without a request as missing", () => {
  const verdict = count([slots[0]! + 3, slots[0]! + 900, slots[2]! + 3, slots[3]! + 3]);
  expect(verdict).toMatchObject({ due: 4, doubled: 1, missing: [{ monitorId: 7, slotMs: slots[1] }] });
});

test("a request counts for its slot if a slow clock stamped it slightly earlier", () => {
  expect(count(slots.map((slotMs) => slotMs - 50)).missing).toEqual([]);
});

test("slots outside the window do not count", () => {
  const before = slots[0]! - intervalMs + 3;
  const after = slots[3]! + intervalMs + 3;
  expect(count([before, ...slots, after])).toMatchObject({ due: 4, doubled: 0 });
});

const hook = (id: string, type: string, incident: string, monitorId = 7): Hook => ({
  path: "/hook/ops",
  id,
  atMs: 0,
  body: JSON.stringify({ type, data: { target: { type: "monitor", id: monitorId }, incident: { id: incident } } }),
});
const once = [{ monitorId: 7, downs: 1, recoveries: 1 }];

test("an opening and an end that were each sent once are correct", () => {
  const hooks = [hook("a", "alert.down", "m1"), hook("b", "alert.recovery", "m1"), hook("c", "alert.down", "m9", 8)];
  expect(judgeAlerts(once, hooks)).toEqual({ lost: [], doubled: [], repeated: 0 });
});

test("an alert that was not sent is lost", () => {
  expect(judgeAlerts(once, [hook("a", "alert.down", "m1")]).lost).toEqual(["monitor 7: alert.recovery 0 of 1 times"]);
});

test("an alert in two messages is doubled, but a message that was sent twice is only repeated", () => {
  const end = hook("b", "alert.recovery", "m1");
  expect(judgeAlerts(once, [hook("a", "alert.down", "m1"), hook("x", "alert.down", "m1"), end]).doubled).toEqual([
    "monitor 7: alert.down 2 times instead of 1",
  ]);
  const again = judgeAlerts(once, [hook("a", "alert.down", "m1"), hook("a", "alert.down", "m1"), end]);
  expect(again).toEqual({ lost: [], doubled: [], repeated: 1 });
});

test("an unexpected incident counts as doubled", () => {
  const hooks = [hook("a", "alert.down", "m1"), hook("b", "alert.recovery", "m1"), hook("c", "alert.down", "m2")];
  expect(judgeAlerts(once, hooks).doubled).toEqual(["monitor 7: alert.down 2 times instead of 1"]);
});

const stepMs = 60_000;
const takenAtMs = Array.from({ length: 90 }, (_, index) => 6_000_000 + index * 1000);
const all = new Set(takenAtMs.map((_, index) => index + 1));
const reporter = { agentId: 3, acknowledged: all, takenAtMs };
const meanOf = (sequences: number[]) =>
  Math.round(sequences.reduce((sum, sequence) => sum + rateOf(sequence), 0) / sequences.length);
const points = (without?: number) =>
  [0, 1].map((step) => {
    const sequences = [...all].filter((one) => Math.floor((one - 1) / 60) === step && one !== without);
    return { start: new Date(6_000_000 + step * stepMs).toISOString(), avg: meanOf(sequences) };
  });

test("a mean that lacks a single acknowledged sample is detected", () => {
  expect(compareSamples(reporter, points(), stepMs)).toEqual([]);
  for (const sequence of [1, 33, 60, 61, 90]) {
    expect(compareSamples(reporter, points(sequence), stepMs), `sample ${sequence}`).toHaveLength(1);
  }
  expect(compareSamples(reporter, points().slice(1), stepMs)).toHaveLength(1);
});
