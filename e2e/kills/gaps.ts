import type { Histories } from "./final-state.ts";
import type { Untouched } from "./monitors.ts";
import type { Slots } from "./slots.ts";

/** Steps of always well monitors that show a failure: what a killed runner took along is none. */
export function shownAsFailures(untouched: readonly Untouched[], histories: Histories): string[] {
  return untouched
    .filter(({ kind }) => kind !== "flap")
    .flatMap(({ id }) =>
      (histories.get(id) ?? [])
        .filter(({ checks, up }) => up !== checks)
        .map(({ start, checks, up }) => `monitor ${id} shows ${checks - up} failures from ${start}`),
    );
}

/** A check may take this long until its slot counts as no data; see history.ts of metrics. */
export const underwayMs = 30_000;

/** Missing slots whose step shows whole coverage, as if nothing were missing; as histories were at an instant. */
export function shownAsWhole({ missing }: Slots, histories: Histories, readAtMs: number): string[] {
  return missing.flatMap(({ monitorId, slotMs }) => {
    const steps = histories.get(monitorId) ?? [];
    const index = steps.findLastIndex(({ start }) => Date.parse(start) <= slotMs);
    const step = steps[index];
    // The check that runs at once when a monitor is made belongs to a slot before its first: it fills one gap.
    const isFirst = steps.findIndex(({ checks }) => checks > 0) === index;
    // Within the newest one, slots of the last seconds are seen already and not yet expected: they fill gaps too.
    const endMs = Date.parse(steps[index + 1]?.start ?? "");
    if (step === undefined || isFirst || !(endMs + underwayMs < readAtMs)) return [];
    if (step.coverage !== null && step.coverage < 100) return [];
    return [`monitor ${monitorId} shows ${step.coverage} % from ${step.start}, but slot ${slotMs} is missing`];
  });
}
