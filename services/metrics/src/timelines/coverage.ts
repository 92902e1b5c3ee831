import type { MaintenanceSpan } from "@sonde/kit/maintenance/spans";
import { slotsBetween } from "@sonde/kit/time/slots";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";

/**
 * Slots that were due in [from, to) and lie in no maintenance window, over all locations of the moment; epoch
 * milliseconds. `maintenance` as `spansOf` answers it.
 */
export function expectedSlots(
  timeline: MonitorTimeline,
  maintenance: readonly MaintenanceSpan[],
  fromMs: number,
  toMs: number,
): number {
  return timeline.spans.reduce((sum, span, index) => {
    if (!span.active || span.intervalMs <= 0) return sum;
    const untilMs = timeline.spans[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const start = Math.max(fromMs, span.fromMs);
    const end = Math.min(toMs, untilMs);
    if (end <= start) return sum;
    const slots = (partFromMs: number, partToMs: number) =>
      slotsBetween(timeline.monitorId, span.intervalMs, partFromMs, partToMs);
    let due = slots(start, end);
    for (const window of maintenance) {
      if (window.fromMs >= end) break;
      if (window.toMs > start) due -= slots(Math.max(start, window.fromMs), Math.min(end, window.toMs));
    }
    return sum + due * span.locations.length;
  }, 0);
}
