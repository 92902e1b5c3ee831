import type { presentTimings } from "@sonde/kit/check-result";
import { percentileMs } from "../rollups/histogram.ts";
import { type SpanFigures, mergeFigures } from "../rollups/merge.ts";
import type { PhaseFigures } from "../rollups/figures.ts";
import type { ExactFigures } from "./store.ts";

/** Figures of a step, or of a whole period, in which checks were seen. */
export type CheckFigures = {
  checks: number;
  up: number;
  avgMs: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  lastCheckedAtMs: number;
  error?: string;
  timings?: Parameters<typeof presentTimings>[0];
};

/** Figures that were counted exactly. */
export function exactFigures(exact: ExactFigures): CheckFigures {
  const { checks, up, avgMs, p50Ms, p95Ms, maxMs, lastCheckedAtMs, error } = exact;
  const timings = timingsOf(exact, avgMs);
  return { checks, up, avgMs, p50Ms, p95Ms, maxMs, lastCheckedAtMs, error: error || undefined, timings };
}

/** Pieces of a step or a period as one; undefined if there are none. */
export function mergedFigures([first, ...rest]: readonly SpanFigures[]): CheckFigures | undefined {
  return first && figuresOf(mergeFigures([first, ...rest]));
}

function figuresOf(figures: SpanFigures): CheckFigures {
  const { seen, up, sum, max, lastCheckedAtMs, lastError } = figures;
  const avgMs = sum / seen / 10;
  return {
    checks: seen,
    up,
    avgMs,
    p50Ms: percentileMs(figures, 0.5),
    p95Ms: percentileMs(figures, 0.95),
    maxMs: max / 10,
    lastCheckedAtMs,
    error: lastError || undefined,
    timings: timingsOf(figures, avgMs),
  };
}

/** Means of the phases; undefined where none is known, as of hours that were stored without them. */
function timingsOf({ phaseSums, phaseCounts }: PhaseFigures, totalMs: number): CheckFigures["timings"] {
  if (phaseCounts.every((count) => count === 0)) return undefined;
  const [dnsMs, connectMs, tlsMs, firstByteMs] = phaseCounts.map((count, phase) =>
    count === 0 ? undefined : (phaseSums[phase] ?? 0) / count / 10,
  );
  return { dnsMs, connectMs, tlsMs, firstByteMs, totalMs };
}
