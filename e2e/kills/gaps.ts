import type { Histories } from "./final-state.ts";
import type { Untouched } from "./monitors.ts";
import type { Slots } from "./slots.ts";

/**
 * Describes failures in the history of monitors whose target is always healthy. A check that a kill interrupted is no
 * data, not a failure.
 */
export function shownAsFailures(untouched: readonly Untouched[], histories: Histories): string[] {
  return untouched
    .filter(({ kind }) => kind !== "flap")
    .flatMap(({ id }) =>
      (histories.get(id) ?? [])
        .filter(({ checks, up }) => up !== checks)
        .map(({ start, checks, up }) => `monitor ${id} shows ${checks - up} failures from ${start}`),
    );
}

/** A slot counts as no data when its check has taken this long; see history.ts of metrics. */
export const underwayMs = 30_000;

/** Describes missing slots whose step shows full coverage. Histories were read at `readAtMs`. */
export function shownAsCovered({ missing }: Slots, histories: Histories, readAtMs: number): string[] {
  return missing.flatMap(({ monitorId, slotMs }) => {
    const steps = histories.get(monitorId) ?? [];
    const index = steps.findLastIndex(({ start }) => Date.parse(start) <= slotMs);
    const step = steps[index];
    // The immediate check of a new monitor belongs to a slot before its first, so it makes up for one missing slot.
    const isFirst = steps.findIndex(({ checks }) => checks > 0) === index;
    // The newest step already contains results of slots that are not due yet, which also make up for missing ones.
    const endMs = Date.parse(steps[index + 1]?.start ?? "");
    if (step === undefined || isFirst || !(endMs + underwayMs < readAtMs)) return [];
    if (step.coverage !== null && step.coverage < 100) return [];
    return [`monitor ${monitorId} shows ${step.coverage} % from ${step.start}, but slot ${slotMs} is missing`];
  });
}
