import { slotAtOrBefore } from "@sonde/kit/time/slots";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";

/** The newest slots that were due in [from, before), newest first, up to a maximum; epoch milliseconds. */
export function newestSlots(timeline: MonitorTimeline, fromMs: number, beforeMs: number, most: number): number[] {
  const slots: number[] = [];
  let endMs = Math.ceil(beforeMs);
  for (const { active, intervalMs, locations, fromMs: beganMs } of timeline.spans.toReversed()) {
    const startMs = Math.max(fromMs, beganMs);
    if (active && intervalMs > 0 && locations.length > 0) {
      let slotMs = slotAtOrBefore(timeline.monitorId, intervalMs, endMs - 1);
      for (; slotMs >= startMs && slots.length < most; slotMs -= intervalMs) slots.push(slotMs);
    }
    endMs = Math.min(endMs, Math.ceil(beganMs));
  }
  return slots;
}
