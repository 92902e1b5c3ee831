import { ownTimeZone } from "../lib/format.ts";
import { timeOfDay } from "../lib/zone-time.ts";

/** Response times of one step, in milliseconds; null where no check was seen. */
type Figures = { p95: number | null; max: number | null };

/** A peak so many times as high as what is usual would press everything else to the ground. */
const maxPeak = 3;
const headroom = 1.6;

/**
 * The top of a scale on which the usual can be read: the highest value, or, where single peaks stand far above what is
 * usual (the 95th percentile of all steps' p95), a top below them. `peak` is the highest of those that are cut off.
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
 * Round instants between two others (epoch milliseconds) for the marks of a time axis, at most `most` of them: full
 * minutes and hours, or midnights, of the reader's clock.
 */
export function timeTicks(fromMs: number, toMs: number, most: number): number[] {
  const step = steps.find((each) => (toMs - fromMs) / each <= most);
  const zone = ownTimeZone();
  const midnightOf = (days: number) => timeOfDay("00:00", fromMs, days, zone);
  const midnightMs = midnightOf(0);
  const ticks: number[] = [];
  if (step !== undefined) {
    const first = midnightMs + Math.ceil((fromMs - midnightMs) / step) * step;
    for (let at = first; at <= toMs; at += step) ticks.push(at);
    return ticks;
  }
  const days = daySteps.find((each) => (toMs - fromMs) / (each * day) <= most) ?? 30;
  for (let at = midnightMs < fromMs ? 1 : 0; midnightOf(at) <= toMs; at += days) ticks.push(midnightOf(at));
  return ticks;
}

/** The margins of a plot over time, in pixels; what is above it with the same time axis keeps them too. */
export const plotEdges = (compact: boolean) => ({ top: 8, right: 8, bottom: 26, left: compact ? 52 : 60 });

/** From an instant up to another; epoch milliseconds. */
export type Band = { fromMs: number; toMs: number };

export type ChartMarks = { incidents: readonly Band[]; changes: readonly number[] };

/** Where an instant lies on a time axis, as a share of its length, within it. */
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

/** Points with gaps on both sides: a line would not show them. */
export function isolatedPoints<Point extends { readonly data: { readonly y: unknown } }>(points: readonly Point[]) {
  const isGap = (index: number) => points[index]?.data.y == null;
  return points.filter((_, index) => !isGap(index) && isGap(index - 1) && isGap(index + 1));
}
