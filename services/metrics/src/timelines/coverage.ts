import type { MaintenanceSpan } from "@sonde/kit/maintenance/spans";
import { slotsBetween } from "@sonde/kit/time/slots";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";

/**
 * Slots that were due from each of `edges` up to the next outside maintenance, over all locations of the moment; epoch
 * milliseconds, ascending. `maintenance` as `spansOf` returns it. One pass over the instants at which anything changes:
 * hundreds of steps, windows and edits together must not block the event loop.
 */
export function expectedSlots(
  { monitorId, spans }: Pick<MonitorTimeline, "monitorId" | "spans">,
  maintenance: readonly MaintenanceSpan[],
  edges: readonly number[],
): number[] {
  const expected = edges.slice(1).map(() => 0);
  const [firstMs = 0, endMs = 0] = [edges[0], edges.at(-1)];
  let step = 0;
  let next = 0;
  for (const [index, { active, intervalMs, locations, fromMs }] of spans.entries()) {
    if (!active || intervalMs <= 0) continue;
    const untilMs = Math.min(endMs, spans[index + 1]?.fromMs ?? endMs);
    for (let atMs = Math.max(firstMs, fromMs); atMs < untilMs;) {
      while ((edges[step + 1] ?? endMs) <= atMs) step++;
      while ((maintenance[next]?.toMs ?? Number.POSITIVE_INFINITY) <= atMs) next++;
      const window = maintenance[next];
      const isCovered = window !== undefined && window.fromMs <= atMs;
      const changesMs = (isCovered ? window.toMs : window?.fromMs) ?? endMs;
      const partEndMs = Math.min(untilMs, edges[step + 1] ?? endMs, changesMs);
      if (!isCovered) expected[step]! += slotsBetween(monitorId, intervalMs, atMs, partEndMs) * locations.length;
      atMs = partEndMs;
    }
  }
  return expected;
}
