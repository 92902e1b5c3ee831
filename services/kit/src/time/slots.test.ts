import { expect, test } from "vitest";
import { phaseMs, slotAfter, slotAtOrBefore, slotsBetween } from "./slots.ts";

const atMs = 1_790_000_000_123;

test("slots of a monitor are one interval apart, and a slot contains its own instant", () => {
  const slot = slotAtOrBefore(7, 60_000, atMs);
  expect(slot).toBeLessThanOrEqual(atMs);
  expect(atMs - slot).toBeLessThan(60_000);
  expect(slotAtOrBefore(7, 60_000, slot)).toBe(slot);
  expect(slotAtOrBefore(7, 60_000, slot - 1)).toBe(slot - 60_000);
  expect(slotAfter(7, 60_000, slot)).toBe(slot + 60_000);
  expect(slot % 60_000).toBe(phaseMs(7, 60_000));
});

test("the number of slots in a window includes its start and excludes its end", () => {
  const slot = slotAtOrBefore(9, 15_000, atMs);
  expect(slotsBetween(9, 15_000, slot, slot + 15_000)).toBe(1);
  expect(slotsBetween(9, 15_000, slot + 1, slot + 15_000)).toBe(0);
  expect(slotsBetween(9, 15_000, slot, slot + 15_001)).toBe(2);
  expect(slotsBetween(9, 15_000, slot, slot)).toBe(0);
  expect(slotsBetween(9, 15_000, slot, slot - 60_000)).toBe(0);
  expect(slotsBetween(9, 15_000, atMs, atMs + 86_400_000)).toBe(5_760);
});

test("phases of neighbouring ids spread evenly over the interval", () => {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let id = 1; id <= 10_000; id++) {
    const tenth = Math.floor((phaseMs(id, 60_000) / 60_000) * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
