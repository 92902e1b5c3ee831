import type { presentTimings } from "@sonde/domain/check-result";
import { percentileMs, type Histogram, lastBucket } from "../rollups/histogram.ts";
import { type PhaseFigures, phases } from "../rollups/figures.ts";

export type CheckFigures = {
  /** Checks outside maintenance, the only ones that count for uptime; times cover all checks. */
  checks: number;
  up: number;
  avgMs: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  /** Times of successful checks, including those in maintenance; absent if there are none. */
  good?: { p50Ms: number; p95Ms: number };
  lastCheckedAtMs: number;
  error?: string;
  timings?: Parameters<typeof presentTimings>[0];
};

export type ExactFigures = PhaseFigures &
  Required<Omit<CheckFigures, "timings" | "good">> & { goodP50Ms: number | null; goodP95Ms: number | null };

export function exactFigures(exact: ExactFigures): CheckFigures {
  const { checks, up, avgMs, p50Ms, p95Ms, maxMs, lastCheckedAtMs, error } = exact;
  const { goodP50Ms, goodP95Ms } = exact;
  const good = goodP50Ms === null || goodP95Ms === null ? undefined : { p50Ms: goodP50Ms, p95Ms: goodP95Ms };
  const timings = timingsOf(exact, avgMs);
  return { checks, up, avgMs, p50Ms, p95Ms, maxMs, good, lastCheckedAtMs, error: error || undefined, timings };
}

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

function goodOf({ buckets, counts, failedBuckets, failedCounts, max }: SpanFigures): CheckFigures["good"] {
  const failed = new Map(failedBuckets.map((bucket, index) => [bucket, failedCounts[index] ?? 0]));
  const left = buckets.map((bucket, index) => Math.max(0, (counts[index] ?? 0) - (failed.get(bucket) ?? 0)));
  if (left.every((count) => count === 0)) return undefined;
  const good = { buckets, counts: left, max };
  return { p50Ms: percentileMs(good, 0.5), p95Ms: percentileMs(good, 0.95) };
}

/** Mean phase durations; `undefined` if none are known, as in hours stored by older versions. */
function timingsOf({ phaseSums, phaseCounts }: PhaseFigures, totalMs: number): CheckFigures["timings"] {
  if (phaseCounts.every((count) => count === 0)) return undefined;
  const [dnsMs, connectMs, tlsMs, firstByteMs] = phaseCounts.map((count, phase) =>
    count === 0 ? undefined : (phaseSums[phase] ?? 0) / count / 10,
  );
  return { dnsMs, connectMs, tlsMs, firstByteMs, totalMs };
}

/** Figures of the checks in a time span; `max` and `sum` in tenths of a millisecond. */
export type SpanFigures = Histogram &
  PhaseFigures & {
    atMs: number;
    seen: number;
    up: number;
    /** In maintenance, and therefore counted as neither seen nor up. */
    covered: number;
    /** Histogram of failed checks; empty in hours stored by older versions. */
    failedBuckets: readonly number[];
    failedCounts: readonly number[];
    max: number;
    sum: number;
    lastCheckedAtMs: number;
    /** Message of the newest failure; empty if none failed. */
    lastError: string;
  };

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
