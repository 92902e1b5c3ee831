import { create } from "@bufbuild/protobuf";
import { slotAfter } from "@sonde/kit/time/slots";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { expect, test } from "vitest";
import { dayMs, hourMs } from "../rollups/instants.ts";
import { dueOfDays, minutesOf } from "./monitor-days.ts";

const minuteMs = 60_000;
const firstMs = 20_000 * dayMs;
const nowMs = firstMs + 3 * dayMs + 5 * hourMs + 17_500;
const range = { firstMs, dayCount: 4, retainedFromMs: firstMs, nowMs };

type Span = { fromMs: number; intervalMs?: number; locations?: string[]; active?: boolean };
const timelineOf = (...spans: Span[]) =>
  create(MonitorTimelineSchema, {
    monitorId: 7,
    revision: 1,
    spans: spans.map((span) => ({ intervalMs: minuteMs, locations: ["default"], active: true, ...span })),
  });

/** Reference implementation: every slot of the monitor in [from, to). */
function slotsIn(fromMs: number, toMs: number, intervalMs = minuteMs): number[] {
  const slots: number[] = [];
  for (let slot = slotAfter(7, intervalMs, fromMs - 1); slot < toMs; slot += intervalMs) slots.push(slot);
  return slots;
}

test("a day's slots exclude those in windows and those that may still be under way", () => {
  const windows = [
    // Across midnight; between slots; and exactly on slots.
    { fromMs: firstMs + 23 * hourMs + 123, toMs: firstMs + dayMs + 2 * hourMs },
    { fromMs: slotsIn(firstMs + 2 * dayMs, nowMs)[10]!, toMs: slotsIn(firstMs + 2 * dayMs, nowMs)[20]! },
  ];
  const timeline = timelineOf({ fromMs: firstMs - dayMs }, { fromMs: firstMs + 2.5 * dayMs, intervalMs: 10_000 });
  const due = dueOfDays(timeline, windows, range);
  const slots = [
    ...slotsIn(firstMs, firstMs + 2.5 * dayMs),
    ...slotsIn(firstMs + 2.5 * dayMs, nowMs - 30_000, 10_000),
  ].filter((slot) => !windows.some(({ fromMs, toMs }) => slot >= fromMs && slot < toMs));
  const byDay = [0, 1, 2, 3].map((day) => slots.filter((slot) => Math.floor((slot - firstMs) / dayMs) === day).length);
  expect(due.expected).toEqual(byDay);
  expect(due.maintenanceMs).toEqual([hourMs - 123, 2 * hourMs, 10 * minuteMs, 0]);
  expect(due.monitoredMs).toEqual([dayMs, dayMs, dayMs, nowMs - firstMs - 3 * dayMs]);
});

test("nothing is due before the monitor existed, while it is paused, or after the present", () => {
  const timeline = timelineOf(
    { fromMs: firstMs + 12 * hourMs },
    { fromMs: firstMs + dayMs, active: false },
    { fromMs: firstMs + 2 * dayMs + 6 * hourMs, locations: ["east", "west"] },
  );
  // Maintenance while paused does not matter.
  const windows = [{ fromMs: firstMs + dayMs, toMs: firstMs + dayMs + hourMs }];
  const due = dueOfDays(timeline, windows, { ...range, dayCount: 6 });
  expect(due.monitoredMs).toEqual([12 * hourMs, dayMs, dayMs, nowMs - firstMs - 3 * dayMs, 0, 0]);
  expect(due.pausedMs).toEqual([0, dayMs, 6 * hourMs, 0, 0, 0]);
  expect(due.maintenanceMs).toEqual([0, 0, 0, 0, 0, 0]);
  expect(due.expected[0]).toBe(12 * 60);
  expect(due.expected[1]).toBe(0);
  expect(due.expected[2]).toBe(2 * 18 * 60);
});

test("nothing is due in expired days, before a monitor begins, or without an interval", () => {
  const timeline = timelineOf({ fromMs: firstMs });
  expect(dueOfDays(timeline, [], { ...range, retainedFromMs: firstMs + 2 * dayMs }).monitoredMs.slice(0, 3)).toEqual([
    0,
    0,
    dayMs,
  ]);
  const nothing = [0, 0, 0, 0];
  expect(dueOfDays(timelineOf({ fromMs: nowMs + hourMs }), [], range).monitoredMs).toEqual(nothing);
  expect(dueOfDays(timelineOf({ fromMs: firstMs, intervalMs: 0 }), [], range).expected).toEqual(nothing);
  expect(dueOfDays(timelineOf({ fromMs: Number.NaN }), [], range).monitoredMs).toEqual(nothing);
});

test("on a day with only maintenance and pauses their minutes add up to all minutes", () => {
  const half = 0.5 * minuteMs;
  expect(
    minutesOf({
      monitoredMs: [dayMs, 90 * minuteMs],
      maintenanceMs: [dayMs - hourMs - half, 10.7 * minuteMs],
      pausedMs: [hourMs + half, 0],
    }),
  ).toEqual({ monitoredMinutes: [1440, 90], maintenanceMinutes: [1380, 10], pausedMinutes: [60, 0] });
});
