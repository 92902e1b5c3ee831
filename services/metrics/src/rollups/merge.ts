import { type Histogram, lastBucket } from "./histogram.ts";
import { type PhaseFigures, phases } from "./figures.ts";

/** What is known of the checks of some span; `max` and `sum` in tenths of a millisecond. */
export type SpanFigures = Histogram &
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

/** The figures of several spans as one's, buckets in order. */
export function mergeFigures(parts: readonly [SpanFigures, ...SpanFigures[]]): SpanFigures {
  const [first, ...others] = parts;
  if (others.length === 0) return first;
  const counts = Array.from({ length: lastBucket + 1 }, () => 0);
  const merged = {
    ...first,
    phaseSums: phases.map(() => 0),
    phaseCounts: phases.map(() => 0),
    seen: 0,
    up: 0,
    sum: 0,
    lastError: "",
  };
  let errorAtMs = Number.NEGATIVE_INFINITY;
  for (const part of parts) {
    for (let index = 0; index < part.buckets.length; index++) counts[part.buckets[index]!]! += part.counts[index] ?? 0;
    for (let phase = 0; phase < phases.length; phase++) {
      merged.phaseSums[phase]! += part.phaseSums[phase] ?? 0;
      merged.phaseCounts[phase]! += part.phaseCounts[phase] ?? 0;
    }
    merged.seen += part.seen;
    merged.up += part.up;
    merged.sum += part.sum;
    merged.atMs = Math.min(merged.atMs, part.atMs);
    merged.max = Math.max(merged.max, part.max);
    merged.lastCheckedAtMs = Math.max(merged.lastCheckedAtMs, part.lastCheckedAtMs);
    if (part.lastError === "" || part.atMs <= errorAtMs) continue;
    merged.lastError = part.lastError;
    errorAtMs = part.atMs;
  }
  const buckets = counts.flatMap((count, bucket) => (count > 0 ? [bucket] : []));
  return { ...merged, buckets, counts: buckets.map((bucket) => counts[bucket] ?? 0) };
}
