import type { Histogram } from "./histogram.ts";
import { type PhaseFigures, phases } from "./phases.ts";

/** What is known of the checks of some span; `max` and `sum` in tenths of a millisecond. */
export type Figures = Histogram &
  PhaseFigures & {
    /** When the span began. */
    atMs: number;
    seen: number;
    up: number;
    max: number;
    sum: number;
    lastCheckedAtMs: number;
    /** The newest failure's message; empty where none failed. */
    lastError: string;
  };

/** The figures of several spans as one's; at least one of them. */
export function mergeFigures(parts: readonly [Figures, ...Figures[]]): Figures {
  const ordered = parts.toSorted((left, right) => left.atMs - right.atMs);
  const counts = new Map<number, number>();
  for (const part of parts) {
    for (const [index, bucket] of part.buckets.entries()) {
      counts.set(bucket, (counts.get(bucket) ?? 0) + (part.counts[index] ?? 0));
    }
  }
  const total = (key: "seen" | "up" | "sum") => parts.reduce((sum, part) => sum + part[key], 0);
  return {
    atMs: Math.min(...parts.map((part) => part.atMs)),
    seen: total("seen"),
    up: total("up"),
    max: Math.max(...parts.map((part) => part.max)),
    sum: total("sum"),
    buckets: [...counts.keys()],
    counts: [...counts.values()],
    phaseSums: phases.map((_, phase) => parts.reduce((sum, part) => sum + (part.phaseSums[phase] ?? 0), 0)),
    phaseCounts: phases.map((_, phase) => parts.reduce((sum, part) => sum + (part.phaseCounts[phase] ?? 0), 0)),
    lastCheckedAtMs: Math.max(...parts.map((part) => part.lastCheckedAtMs)),
    lastError: ordered.findLast((part) => part.lastError !== "")?.lastError ?? "",
  };
}
