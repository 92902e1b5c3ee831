import { create } from "@bufbuild/protobuf";
import { phaseMs, slotsBetween } from "@sonde/kit/time/slots";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { expect, test } from "vitest";
import { expectedSlots, newestSlots } from "./coverage.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const beganMs = 1_700_000_000_000;

type Span = { fromMs: number; intervalMs?: number; locations?: string[]; active?: boolean };
const timelineOf = (...spans: Span[]) =>
  create(MonitorTimelineSchema, {
    monitorId: 7,
    revision: 1,
    spans: spans.map((span) => ({ intervalMs: minuteMs, locations: ["default"], active: true, ...span })),
  });

test("the newest slots follow the monitor's phase, newest first, before the instant", () => {
  const beforeMs = beganMs + hourMs;
  const slots = newestSlots(timelineOf({ fromMs: beganMs }), 0, beforeMs, 5);
  expect(slots).toHaveLength(5);
  expect(slots.every((slotMs) => slotMs % minuteMs === phaseMs(7, minuteMs))).toBe(true);
  expect(slots.map((slotMs) => slots[0]! - slotMs)).toEqual([0, 1, 2, 3, 4].map((count) => count * minuteMs));
  expect(slots[0]).toBeLessThan(beforeMs);
  expect(slots[0]).toBeGreaterThanOrEqual(beforeMs - minuteMs);
  // A slot exactly at the instant is excluded.
  expect(newestSlots(timelineOf({ fromMs: beganMs }), 0, slots[0]!, 1)).toEqual([slots[1]]);
});

test("paused time has no slots, and slots of older intervals follow the newer ones", () => {
  const timeline = timelineOf(
    { fromMs: beganMs, intervalMs: 5 * minuteMs },
    { fromMs: beganMs + hourMs, active: false },
    { fromMs: beganMs + 3 * hourMs },
    { fromMs: beganMs + 4 * hourMs, locations: [] },
  );
  const slots = newestSlots(timeline, 0, beganMs + 5 * hourMs, 1_000);
  const within = (fromMs: number, toMs: number) => slots.filter((slot) => slot >= fromMs && slot < toMs).length;
  expect(within(beganMs, beganMs + hourMs)).toBe(slotsBetween(7, 5 * minuteMs, beganMs, beganMs + hourMs));
  expect(within(beganMs + hourMs, beganMs + 3 * hourMs)).toBe(0);
  expect(within(beganMs + 3 * hourMs, beganMs + 4 * hourMs)).toBe(60);
  expect(slots).toEqual(slots.toSorted((left, right) => right - left));
  expect(slots).toHaveLength(expectedSlots(timeline, [], [0, beganMs + 5 * hourMs])[0] ?? 0);
});

test("returns at most the requested number, none before the bound, and none for a monitor without locations", () => {
  const timeline = timelineOf({ fromMs: beganMs });
  expect(newestSlots(timeline, 0, beganMs + hourMs, 40)).toHaveLength(40);
  const bounded = newestSlots(timeline, beganMs + hourMs / 2, beganMs + hourMs, 40);
  expect(bounded).toHaveLength(30);
  expect(Math.min(...bounded)).toBeGreaterThanOrEqual(beganMs + hourMs / 2);
  expect(newestSlots(timelineOf(), 0, beganMs, 40)).toEqual([]);
});
