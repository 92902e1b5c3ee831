import type { MaintenanceSpan } from "@sonde/kit/maintenance/spans";
import { slotsBetween } from "@sonde/kit/time/slots";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";
import { underwayMs } from "../history/history.ts";
import { dayMs, dayOf } from "../rollups/instants.ts";

/** What was due of a monitor in each of some days, side by side. */
export type DueDays = Record<"expected" | "monitoredMs" | "maintenanceMs" | "pausedMs", number[]>;

/** Days of `dayMs` from `firstMs` on; empty before `keptFromMs` and after the present. */
export type DueRange = { firstMs: number; dayCount: number; keptFromMs: number; nowMs: number };

/**
 * Slots that were due on each day over all locations, and how long the monitor was there, in maintenance or paused; both
 * at once counts as paused. One walk over the instants at which any of that changes: the work grows with their number,
 * not with that of slots. `maintenance` as `spansOf` answers it.
 */
export function dueOfDays(
  { monitorId, spans }: Pick<MonitorTimeline, "monitorId" | "spans">,
  maintenance: readonly MaintenanceSpan[],
  { firstMs, dayCount, keptFromMs, nowMs }: DueRange,
): DueDays {
  const zeros = () => Array.from({ length: dayCount }, () => 0);
  const due: DueDays = { expected: zeros(), monitoredMs: zeros(), maintenanceMs: zeros(), pausedMs: zeros() };
  const endMs = Math.min(firstMs + dayCount * dayMs, nowMs);
  let next = 0;
  for (const [index, { active, intervalMs, locations, fromMs }] of spans.entries()) {
    const untilMs = Math.min(endMs, spans[index + 1]?.fromMs ?? endMs);
    for (let atMs = Math.max(fromMs, keptFromMs); atMs < untilMs;) {
      while ((maintenance[next]?.toMs ?? Number.POSITIVE_INFINITY) <= atMs) next++;
      const window = maintenance[next];
      const isCovered = window !== undefined && window.fromMs <= atMs;
      const changesMs = (isCovered ? window.toMs : window?.fromMs) ?? endMs;
      const partEndMs = Math.min(untilMs, dayOf(atMs) + dayMs, changesMs);
      const day = Math.floor((atMs - firstMs) / dayMs);
      due.monitoredMs[day]! += partEndMs - atMs;
      if (!active) due.pausedMs[day]! += partEndMs - atMs;
      else if (isCovered) due.maintenanceMs[day]! += partEndMs - atMs;
      else if (intervalMs > 0) {
        const dueUntilMs = Math.min(partEndMs, nowMs - underwayMs);
        due.expected[day]! += slotsBetween(monitorId, intervalMs, atMs, dueUntilMs) * locations.length;
      }
      atMs = partEndMs;
    }
  }
  return due;
}
