import { slotAtOrBefore } from "@sonde/kit/time/slots";
import { expect, test } from "vitest";
import { slotRows } from "./watch.ts";

const minute = 60_000;
const slot = slotAtOrBefore(7, minute, 1_800_000_000_000);
const monitor = { id: 7, version: 2, activeSinceMs: 0 };
const span = (fromMs: number, toMs: number | null) => ({
  targetId: 7,
  cause: "High error rate",
  openedAtMs: slot + fromMs,
  closedAtMs: toMs === null ? null : slot + toMs,
});
const causes = (spans: ReturnType<typeof span>[], minutes = 3) =>
  slotRows(monitor, spans, slot, slot + minutes * minute).map(({ cause }) => cause !== null);

test("each slot has one row", () => {
  const rows = slotRows(monitor, [], slot + 5_000, slot + 2.5 * minute);
  expect(rows).toEqual([
    { id: 7, version: 2, slotMs: slot + minute, cause: null },
    { id: 7, version: 2, slotMs: slot + 2 * minute, cause: null },
  ]);
});

test("successive calls return each slot once", () => {
  const ends = [0, 20_000, 59_999, 60_000, 61_000, 130_000, 190_000].map((ms) => slot + ms);
  const slots = ends.slice(1).flatMap((to, at) => slotRows(monitor, [], ends[at]!, to).map(({ slotMs }) => slotMs));
  expect(slots).toEqual([slot + minute, slot + 2 * minute, slot + 3 * minute]);
});

test.each([
  ["an alert within a minute", [span(10_000, 20_000)], [true, false, false]],
  ["an alert across minutes", [span(50_000, 70_000)], [true, true, false]],
  ["an open alert", [span(70_000, null)], [false, true, true]],
  ["an alert that ended before", [span(-20_000, 0)], [false, false, false]],
  ["an alert that begins later", [span(180_000, null)], [false, false, false]],
])("%s makes each slot down that follows a minute in which it was open", (_name, spans, expected) => {
  expect(causes(spans)).toEqual(expected);
});

test("slots before the monitor was active have no row", () => {
  const resumed = { ...monitor, activeSinceMs: slot + minute + 1 };
  expect(slotRows(resumed, [], slot, slot + 2 * minute).map(({ slotMs }) => slotMs)).toEqual([slot + 2 * minute]);
});
