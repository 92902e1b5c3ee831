import type { presentTimings } from "@sonde/domain/check-result";
import { percentileMs, type Histogram, lastBucket } from "../rollups/histogram.ts";
import { type PhaseFigures, phases } from "../rollups/figures.ts";

/** Figures of a step, or of a whole period, in which checks were seen. */
export type CheckFigures = {
  /** Those outside maintenance, which alone may count for uptime; times are of all. */
  checks: number;
  up: number;
  avgMs: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  /** Of the successful ones, those in maintenance too; absent without any. */
  good?: { p50Ms: number; p95Ms: number };
  lastCheckedAtMs: number;
  error?: string;
  timings?: Parameters<typeof presentTimings>[0];
};

/** Figures that were counted exactly; an empty error is none. */
export type ExactFigures = PhaseFigures &
  Required<Omit<CheckFigures, "timings" | "good">> & { goodP50Ms: number | null; goodP95Ms: number | null };

export function exactFigures(exact: ExactFigures): CheckFigures {
  const { checks, up, avgMs, p50Ms, p95Ms, maxMs, lastCheckedAtMs, error } = exact;
  const { goodP50Ms, goodP95Ms } = exact;
  const good = goodP50Ms === null || goodP95Ms === null ? undefined : { p50Ms: goodP50Ms, p95Ms: goodP95Ms };
  const timings = timingsOf(exact, avgMs);
  return { checks, up, avgMs, p50Ms, p95Ms, maxMs, good, lastCheckedAtMs, error: error || undefined, timings };
}

/** Pieces of a step or a period as one; undefined if there are none. */
export function mergedFigures([first, ...rest]: readonly SpanFigures[]): CheckFigures | undefined {
  return first && figuresOf(mergeFigures([first, ...rest]));
}

function figuresOf(figures: SpanFigures): CheckFigures {
  const { seen, covered, up, sum, max, lastCheckedAtMs, lastError } = figures;
  const avgMs = sum / (seen + covered) / 10;
  return {
    checks: seen,
    up,
    avgMs,
    p50Ms: percentileMs(figures, 0.5),
    p95Ms: percentileMs(figures, 0.95),
    maxMs: max / 10,
    good: goodOf(figures),
    lastCheckedAtMs,
    error: lastError || undefined,
    timings: timingsOf(figures, avgMs),
  };
}

/** Percentiles of what is left of a histogram without the failed ones. */
function goodOf({ buckets, counts, failedBuckets, failedCounts, max }: SpanFigures): CheckFigures["good"] {
  const failed = new Map(failedBuckets.map((bucket, index) => [bucket, failedCounts[index] ?? 0]));
  const left = buckets.map((bucket, index) => Math.max(0, (counts[index] ?? 0) - (failed.get(bucket) ?? 0)));
  if (left.every((count) => count === 0)) return undefined;
  const good = { buckets, counts: left, max };
  return { p50Ms: percentileMs(good, 0.5), p95Ms: percentileMs(good, 0.95) };
}

/** Means of the phases; undefined where none is known, as of hours that were stored without them. */
function timingsOf({ phaseSums, phaseCounts }: PhaseFigures, totalMs: number): CheckFigures["timings"] {
  if (phaseCounts.every((count) => count === 0)) return undefined;
  const [dnsMs, connectMs, tlsMs, firstByteMs] = phaseCounts.map((count, phase) =>
    count === 0 ? undefined : (phaseSums[phase] ?? 0) / count / 10,
  );
  return { dnsMs, connectMs, tlsMs, firstByteMs, totalMs };
}

/** What is known of the checks of some span; `max` and `sum` in tenths of a millisecond. */
export type SpanFigures = Histogram &
  PhaseFigures & {
    /** When the span began. */
    atMs: number;
    seen: number;
    up: number;
    /** In maintenance, and so neither. */
    covered: number;
    /** The part of the histogram that failed; empty in hours that the version before stored. */
    failedBuckets: readonly number[];
    failedCounts: readonly number[];
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
  const zeros = () => Array.from({ length: lastBucket + 1 }, () => 0);
  const [counts, failed] = [zeros(), zeros()];
  const merged = {
    ...first,
    phaseSums: phases.map(() => 0),
    phaseCounts: phases.map(() => 0),
    seen: 0,
    up: 0,
    covered: 0,
    sum: 0,
    lastError: "",
  };
  let errorAtMs = Number.NEGATIVE_INFINITY;
  for (const part of parts) {
    for (let index = 0; index < part.buckets.length; index++) counts[part.buckets[index]!]! += part.counts[index] ?? 0;
    for (const [index, bucket] of part.failedBuckets.entries()) failed[bucket]! += part.failedCounts[index] ?? 0;
    for (let phase = 0; phase < phases.length; phase++) {
      merged.phaseSums[phase]! += part.phaseSums[phase] ?? 0;
      merged.phaseCounts[phase]! += part.phaseCounts[phase] ?? 0;
    }
    merged.seen += part.seen;
    merged.up += part.up;
    merged.covered += part.covered;
    merged.sum += part.sum;
    merged.atMs = Math.min(merged.atMs, part.atMs);
    merged.max = Math.max(merged.max, part.max);
    merged.lastCheckedAtMs = Math.max(merged.lastCheckedAtMs, part.lastCheckedAtMs);
    if (part.lastError === "" || part.atMs <= errorAtMs) continue;
    merged.lastError = part.lastError;
    errorAtMs = part.atMs;
  }
  const filled = (all: readonly number[]) => all.flatMap((count, bucket) => (count > 0 ? [bucket] : []));
  const [buckets, failedBuckets] = [filled(counts), filled(failed)];
  return {
    ...merged,
    buckets,
    counts: buckets.map((bucket) => counts[bucket] ?? 0),
    failedBuckets,
    failedCounts: failedBuckets.map((bucket) => failed[bucket] ?? 0),
  };
}
