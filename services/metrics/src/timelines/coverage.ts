import type { MaintenanceSpan } from "@sonde/domain/maintenance/spans";
import { slotsBetween, slotAtOrBefore } from "@sonde/kit/time/slots";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";

export type Due = Record<"expected" | "monitoredMs" | "maintenanceMs" | "pausedMs", number[]>;

type Timeline = Pick<MonitorTimeline, "monitorId" | "spans"> & Partial<Pick<MonitorTimeline, "dueInRows">>;

/**
 * Counts slots due between consecutive `edges` (ascending epoch milliseconds), over the locations at that time and
 * outside maintenance, and how long the monitor existed, was in maintenance or was paused; both at once counts as
 * paused. Slots from `slotsUntilMs` on do not count. With `dueInRows`, the caller counts stored rows, so only `unseen`
 * slots (ascending) are counted here. Makes a single pass over all changes, because hundreds of steps, windows and
 * edits together must not block the event loop.
 * @param maintenance as returned by `spansOf`
 */
export function dueBetween(
  { monitorId, spans, dueInRows = false }: Timeline,
  maintenance: readonly MaintenanceSpan[],
  edges: readonly number[],
  slotsUntilMs = Number.POSITIVE_INFINITY,
  unseen: readonly number[] = [],
): Due {
  const zeros = () => edges.slice(1).map(() => 0);
  const due: Due = { expected: zeros(), monitoredMs: zeros(), maintenanceMs: zeros(), pausedMs: zeros() };
  const [firstMs = 0, endMs = 0] = [edges[0], edges.at(-1)];
  let step = 0;
  let next = 0;
  let nextUnseen = 0;
  for (const [index, { active, intervalMs, locations, fromMs }] of spans.entries()) {
    const untilMs = Math.min(endMs, spans[index + 1]?.fromMs ?? endMs);
    for (let atMs = Math.max(firstMs, fromMs); atMs < untilMs;) {
      while ((edges[step + 1] ?? endMs) <= atMs) step++;
      while ((maintenance[next]?.toMs ?? Number.POSITIVE_INFINITY) <= atMs) next++;
      const window = maintenance[next];
      const isCovered = window !== undefined && window.fromMs <= atMs;
      const changesMs = (isCovered ? window.toMs : window?.fromMs) ?? endMs;
      const partEndMs = Math.min(untilMs, edges[step + 1] ?? endMs, changesMs);
      due.monitoredMs[step]! += partEndMs - atMs;
      if (!active) due.pausedMs[step]! += partEndMs - atMs;
      else if (isCovered) due.maintenanceMs[step]! += partEndMs - atMs;
      else if (dueInRows) {
        while ((unseen[nextUnseen] ?? Infinity) < atMs) nextUnseen++;
        for (; (unseen[nextUnseen] ?? Infinity) < partEndMs; nextUnseen++) due.expected[step]!++;
      } else if (intervalMs > 0) {
        const slots = slotsBetween(monitorId, intervalMs, atMs, Math.min(partEndMs, slotsUntilMs));
        due.expected[step]! += slots * locations.length;
      }
      atMs = partEndMs;
    }
  }
  return due;
}

/** Combines due and seen slots. A seen slot was due, even a new definition's first, just before its span. */
export const expectedWith = ({ dueInRows }: Pick<MonitorTimeline, "dueInRows">, due: number, seen: number): number =>
  dueInRows ? due + seen : Math.max(due, seen);

export const expectedSlots = (...args: Parameters<typeof dueBetween>): number[] => dueBetween(...args).expected;

/** Returns the newest slots due in [from, before), newest first, up to a maximum; epoch milliseconds. */
export function newestSlots(timeline: MonitorTimeline, fromMs: number, beforeMs: number, max: number): number[] {
  const slots: number[] = [];
  if (timeline.dueInRows) return slots;
  let endMs = Math.ceil(beforeMs);
  for (const { active, intervalMs, locations, fromMs: beganMs } of timeline.spans.toReversed()) {
    const startMs = Math.max(fromMs, beganMs);
    if (active && intervalMs > 0 && locations.length > 0) {
      let slotMs = slotAtOrBefore(timeline.monitorId, intervalMs, endMs - 1);
      for (; slotMs >= startMs && slots.length < max; slotMs -= intervalMs) slots.push(slotMs);
    }
    endMs = Math.min(endMs, Math.ceil(beganMs));
  }
  return slots;
}
