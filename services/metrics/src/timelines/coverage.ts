import { slotsBetween } from "@sonde/kit/time/slots";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";

/** Slots that were due in [from, to), over all locations of the moment; epoch milliseconds. */
export function expectedSlots(timeline: MonitorTimeline, fromMs: number, toMs: number): number {
  return timeline.spans.reduce((sum, span, index) => {
    if (!span.active || span.intervalMs <= 0) return sum;
    const untilMs = timeline.spans[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const start = Math.max(fromMs, span.fromMs);
    const end = Math.min(toMs, untilMs);
    if (end <= start) return sum;
    return sum + slotsBetween(timeline.monitorId, span.intervalMs, start, end) * span.locations.length;
  }, 0);
}
