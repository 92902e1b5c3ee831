import { create } from "@bufbuild/protobuf";
import { slotAtOrBefore } from "@sonde/kit/time/slots";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { expect, test } from "vitest";
import { expectedSlots } from "./coverage.ts";

const hourMs = 3_600_000;
const startMs = 500_000 * hourMs;
const span = (fromMs: number, fields: { intervalMs?: number; locations?: string[]; active?: boolean } = {}) => ({
  fromMs,
  intervalMs: 60_000,
  locations: ["default"],
  active: true,
  ...fields,
});
const timelineOf = (...spans: ReturnType<typeof span>[]) => create(MonitorTimelineSchema, { monitorId: 7, spans });

type Given = Parameters<typeof expectedSlots>;
const expectedIn = (timeline: Given[0], windows: Given[1], fromMs: number, toMs: number) =>
  expectedSlots(timeline, windows, [fromMs, toMs])[0];

test("an hour with a one-minute interval has sixty slots per location", () => {
  expect(expectedIn(timelineOf(span(startMs)), [], startMs, startMs + hourMs)).toBe(60);
  expect(expectedIn(timelineOf(span(startMs, { locations: ["a", "b"] })), [], startMs, startMs + hourMs)).toBe(120);
});

test("nothing is due before the first span or while the monitor is paused", () => {
  const timeline = timelineOf(
    span(startMs),
    span(startMs + hourMs, { active: false }),
    span(startMs + 3 * hourMs, { intervalMs: 10_000 }),
  );
  expect(expectedIn(timeline, [], startMs - hourMs, startMs)).toBe(0);
  expect(expectedIn(timeline, [], startMs - hourMs, startMs + 3 * hourMs)).toBe(60);
  expect(expectedIn(timeline, [], startMs, startMs + 4 * hourMs)).toBe(60 + 360);
});

test("a slot belongs to the span and step that contain it", () => {
  const slotMs = slotAtOrBefore(7, 60_000, startMs);
  const timeline = timelineOf(span(slotMs), span(slotMs + 1, { active: false }));
  expect(expectedIn(timeline, [], slotMs - hourMs, slotMs)).toBe(0);
  expect(expectedIn(timeline, [], slotMs, slotMs + hourMs)).toBe(1);
});

test("steps add up to the whole, wherever they are cut", () => {
  const timeline = timelineOf(span(startMs + 12_345), span(startMs + 5 * hourMs + 1, { intervalMs: 77_000 }));
  const cuts = [0, 0.3, 1.1, 4.999, 5.2, 8, 9.7].map((hours) => startMs + Math.round(hours * hourMs));
  const parts = expectedSlots(timeline, [], cuts);
  expect(parts).toEqual(cuts.slice(1).map((toMs, index) => expectedIn(timeline, [], cuts[index] ?? 0, toMs)));
  const whole = expectedIn(timeline, [], startMs, startMs + Math.round(9.7 * hourMs));
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
});

test("slots in maintenance are not due, wherever the window and the range are cut", () => {
  const timeline = timelineOf(
    span(startMs, { locations: ["a", "b"] }),
    span(startMs + 5 * hourMs, { intervalMs: 77_000 }),
  );
  const slotMs = slotAtOrBefore(7, 60_000, startMs + 2 * hourMs);
  // Up to a slot, which is still due; across the change of the interval; and beyond the range.
  const windows = [
    { fromMs: slotMs, toMs: slotMs + 10 * 60_000 },
    { fromMs: startMs + 4.5 * hourMs + 1, toMs: startMs + 6 * hourMs },
    { fromMs: startMs + 7 * hourMs, toMs: startMs + 90 * hourMs },
  ];
  const cuts = [startMs - hourMs, ...windows.flatMap(({ fromMs, toMs }) => [fromMs, toMs]), startMs + 8 * hourMs];
  const outside = [0, 2, 4].reduce(
    (sum, index) => sum + (expectedIn(timeline, [], cuts[index] ?? 0, cuts[index + 1] ?? 0) ?? 0),
    0,
  );
  expect(expectedIn(timeline, windows, startMs - hourMs, startMs + 8 * hourMs)).toBe(outside);
  expect(expectedSlots(timeline, windows, cuts).reduce((sum, part) => sum + part, 0)).toBe(outside);
  const [all = 0] = expectedSlots(timeline, [], [startMs - hourMs, startMs + 7 * hourMs]);
  const [within = 0] = expectedSlots(timeline, [], [startMs + 4.5 * hourMs + 1, startMs + 6 * hourMs]);
  expect(outside).toBe(all - 2 * 10 - within);
  expect(expectedIn(timeline, windows, slotMs, slotMs + 5 * 60_000)).toBe(0);
  expect(expectedIn(timeline, windows, slotMs + 10 * 60_000, slotMs + 11 * 60_000)).toBe(2);
});

test("an empty range and a missing interval have no slots", () => {
  expect(expectedIn(timelineOf(span(startMs)), [], startMs + 5, startMs + 5)).toBe(0);
  expect(expectedIn(timelineOf(span(startMs)), [], startMs + 5, startMs)).toBe(0);
  expect(expectedIn(timelineOf(span(startMs, { intervalMs: 0 })), [], startMs, startMs + hourMs)).toBe(0);
});
