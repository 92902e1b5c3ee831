import type { MaintenanceWindow } from "@sonde/proto/gen/status/v1/status";
import type { TargetType } from "@sonde/proto/http/monitors/targets";

/** Maintenance windows, or silences in the same form. */
type Covering = Pick<MaintenanceWindow, "occurrences">;

/** [fromMs, toMs) in epoch milliseconds. */
export type MaintenanceSpan = { fromMs: number; toMs: number };

/** Sorted and merged. Windows are never modified after a query; a newer window replaces the old one. */
export function spansOf(windows: Iterable<Covering>, type: TargetType, id: number): MaintenanceSpan[] {
  const spans: MaintenanceSpan[] = [];
  for (const { occurrences } of windows) {
    // Most occurrences share the list of their predecessor (`shareTargets`).
    let searched: readonly number[] | undefined;
    let isCovered = false;
    for (const { fromMs, toMs, monitorIds, agentIds } of occurrences) {
      const ids = type === "monitor" ? monitorIds : agentIds;
      if (ids !== searched) isCovered = ids.includes(id);
      searched = ids;
      if (isCovered && toMs > fromMs) spans.push({ fromMs, toMs });
    }
  }
  return mergeSpans(spans);
}

/** Targets in maintenance at any time in [firstMs, endMs), or at `firstMs` if both are equal. */
export function coveredBy(windows: Iterable<Covering>, type: TargetType, firstMs: number, endMs: number): Set<number> {
  const ids = new Set<number>();
  for (const { occurrences } of windows) {
    for (const { fromMs, toMs, monitorIds, agentIds } of occurrences) {
      if (toMs <= firstMs || (fromMs >= endMs && fromMs > firstMs)) continue;
      for (const id of type === "monitor" ? monitorIds : agentIds) ids.add(id);
    }
  }
  return ids;
}

export function mergeSpans(spans: readonly MaintenanceSpan[]): MaintenanceSpan[] {
  const merged: MaintenanceSpan[] = [];
  for (const span of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = merged.at(-1);
    if (last !== undefined && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs);
    else merged.push({ ...span });
  }
  return merged;
}

function firstEndingAfter(spans: readonly MaintenanceSpan[], atMs: number): MaintenanceSpan | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans[middle]!.toMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return spans[low];
}

/** Shares equal lists of consecutive occurrences: a window may repeat them daily for years. */
export function shareTargets({ occurrences }: MaintenanceWindow): void {
  for (const [index, occurrence] of occurrences.entries()) {
    const before = occurrences[index - 1];
    if (before === undefined) continue;
    if (isSame(before.monitorIds, occurrence.monitorIds)) occurrence.monitorIds = before.monitorIds;
    if (isSame(before.agentIds, occurrence.agentIds)) occurrence.agentIds = before.agentIds;
  }
}

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);

/** `spans` must be sorted and merged. */
export function spanAt(spans: readonly MaintenanceSpan[], atMs: number): MaintenanceSpan | undefined {
  const found = firstEndingAfter(spans, atMs);
  return found !== undefined && found.fromMs <= atMs ? found : undefined;
}

/** True if any part of [from, to) is in a span. `spans` must be sorted and merged. */
export function overlapsSpans(spans: readonly MaintenanceSpan[], fromMs: number, toMs: number): boolean {
  const found = firstEndingAfter(spans, fromMs);
  return found !== undefined && found.fromMs < toMs;
}
