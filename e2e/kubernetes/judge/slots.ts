import { slotAtOrBefore } from "@sonde/kit/time/slots";

/** Tolerates a target clock slightly behind a runner's, so a request does not count for the previous slot. */
const clockMs = 200;

export interface Slot {
  monitorId: number;
  slotMs: number;
}

export interface SlotCount {
  due: number;
  /** Slots with at least one request. */
  requested: Slot[];
  doubled: number;
  missing: Slot[];
}

/**
 * Counts requests per slot of monitors with healthy targets, for slots between the two instants. A check may be as late
 * as its interval.
 */
export function countSlots(
  keys: ReadonlyMap<number, number>,
  arrivals: ReadonlyMap<number, readonly number[]>,
  intervalMs: number,
  [fromMs, untilMs]: readonly [number, number],
): SlotCount {
  const count: SlotCount = { due: 0, requested: [], doubled: 0, missing: [] };
  for (const [monitorId, key] of keys) {
    const requested = new Map<number, number>();
    for (const atMs of arrivals.get(key) ?? []) {
      const slotMs = slotAtOrBefore(monitorId, intervalMs, atMs + clockMs);
      requested.set(slotMs, (requested.get(slotMs) ?? 0) + 1);
    }
    for (
      let slotMs = slotAtOrBefore(monitorId, intervalMs, fromMs) + intervalMs;
      slotMs < untilMs;
      slotMs += intervalMs
    ) {
      const requests = requested.get(slotMs) ?? 0;
      count.due++;
      if (requests === 0) count.missing.push({ monitorId, slotMs });
      else {
        count.requested.push({ monitorId, slotMs });
        count.doubled += requests - 1;
      }
    }
  }
  return count;
}
