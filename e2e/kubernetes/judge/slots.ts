import { slotAtOrBefore } from "@sonde/kit/time/slots";

/** A clock of the target a little behind a runner's must not put a request into the slot before. */
const clockMs = 200;

export interface Slot {
  monitorId: number;
  slotMs: number;
}

export interface SlotCount {
  due: number;
  /** Slots in which the target was asked at all. */
  asked: Slot[];
  /** Requests beyond the first of a slot. */
  doubled: number;
  missing: Slot[];
}

/**
 * Which slots of monitors that are always well were asked for, from the first slot after one instant to the last before
 * the other; a check may be as late as its interval.
 */
export function countSlots(
  keys: ReadonlyMap<number, number>,
  arrivals: ReadonlyMap<number, readonly number[]>,
  intervalMs: number,
  [fromMs, untilMs]: readonly [number, number],
): SlotCount {
  const count: SlotCount = { due: 0, asked: [], doubled: 0, missing: [] };
  for (const [monitorId, key] of keys) {
    const asked = new Map<number, number>();
    for (const atMs of arrivals.get(key) ?? []) {
      const slotMs = slotAtOrBefore(monitorId, intervalMs, atMs + clockMs);
      asked.set(slotMs, (asked.get(slotMs) ?? 0) + 1);
    }
    for (
      let slotMs = slotAtOrBefore(monitorId, intervalMs, fromMs) + intervalMs;
      slotMs < untilMs;
      slotMs += intervalMs
    ) {
      const requests = asked.get(slotMs) ?? 0;
      count.due++;
      if (requests === 0) count.missing.push({ monitorId, slotMs });
      else {
        count.asked.push({ monitorId, slotMs });
        count.doubled += requests - 1;
      }
    }
  }
  return count;
}
