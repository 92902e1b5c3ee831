import { ownTimeZone } from "../lib/format.ts";
import { timeOfDay } from "../lib/zone-time.ts";

/** Response times of one step in milliseconds, `null` without checks. */
type Figures = { p95: number | null; max: number | null };

/** A peak this many times higher than usual would flatten the rest of the chart. */
const maxPeak = 3;
const headroom = 1.6;

/**
 * Returns the top of a readable scale: the highest value, or less if single peaks are far above the usual (the 95th
 * percentile of all steps' p95). `peak` is the highest value that is cut off.
 */
export function fitScale(points: readonly Figures[]): { top: number; peak: number | null } {
  const usualOnes = points.flatMap(({ p95 }) => (p95 === null ? [] : [p95])).sort((one, other) => one - other);
  const usual = usualOnes[Math.ceil(usualOnes.length * 0.95) - 1] ?? 0;
  const highest = points.reduce((most, { p95, max }) => Math.max(most, p95 ?? 0, max ?? 0), 0);
  if (highest <= usual * maxPeak || usual === 0) return { top: highest, peak: null };
  return { top: usual * headroom, peak: highest };
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [1, 2, 5, 10, 15, 30].map((each) => each * minute).concat([1, 2, 3, 6, 12].map((each) => each * hour));
const daySteps = [1, 2, 5, 10];

/**
 * Returns round times for the labels of a time axis, at most `max` of them: full minutes and hours, or midnights, in
 * the user's time zone. All times are epoch milliseconds.
 */
export function timeTicks(fromMs: number, toMs: number, max: number): number[] {
  const step = steps.find((each) => (toMs - fromMs) / each <= max);
  const zone = ownTimeZone();
  const midnightOf = (days: number) => timeOfDay("00:00", fromMs, days, zone);
  const midnightMs = midnightOf(0);
  const ticks: number[] = [];
  if (step !== undefined) {
    const first = midnightMs + Math.ceil((fromMs - midnightMs) / step) * step;
    for (let at = first; at <= toMs; at += step) ticks.push(at);
    return ticks;
  }
  const days = daySteps.find((each) => (toMs - fromMs) / (each * day) <= max) ?? 30;
  for (let at = midnightMs < fromMs ? 1 : 0; midnightOf(at) <= toMs; at += days) ticks.push(midnightOf(at));
  return ticks;
}

/** Margins of a plot over time in pixels. State bars above it use the same. */
export const plotEdges = (compact: boolean) => ({ top: 8, right: 8, bottom: 26, left: compact ? 52 : 60 });

/** A range of time in epoch milliseconds. */
export type Band = { fromMs: number; toMs: number };

export type ChartMarks = { incidents: readonly Band[]; changes: readonly number[] };

/** Position of an instant on a time axis as a share of its length, clamped to the axis. */
export function placeOn({ fromMs, toMs }: Band, atMs: number): number {
  return toMs > fromMs ? Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs))) : 0;
}

export function maintenanceBands(points: readonly { start: number; inMaintenance: boolean }[], stepMs: number): Band[] {
  const bands: Band[] = [];
  for (const { start, inMaintenance } of points) {
    if (!inMaintenance) continue;
    const last = bands.at(-1);
    if (last?.toMs === start) last.toMs = start + stepMs;
    else bands.push({ fromMs: start, toMs: start + stepMs });
  }
  return bands;
}

/** Points with gaps on both sides, which a line would not show. */
export function isolatedPoints<Point extends { readonly data: { readonly y: unknown } }>(points: readonly Point[]) {
  const isGap = (index: number) => points[index]?.data.y == null;
  return points.filter((_, index) => !isGap(index) && isGap(index - 1) && isGap(index + 1));
}
