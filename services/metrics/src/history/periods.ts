import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";
import { type StepsInput, stepsOf } from "./steps.ts";

/** The periods of a history: its steps, and the period before them. Epoch milliseconds. */
export type Periods = {
  stepMs: number;
  /** The start of each step, for the answer. */
  starts: readonly number[];
  /** Where the period before begins; it ends with the first bound. */
  previousMs: number;
  /** Where the counting of each step begins, and where that of the last one ends. */
  bounds: readonly number[];
  /** Read from single checks; else from hours and days. */
  isExact: boolean;
};

/**
 * The periods of a history. An hour and a day are read from the checks; longer ranges from hourly figures, so that
 * there every bound is a whole UTC hour: an hour that spans midnight of a zone counts for the day in which it began.
 * @throws RangeError for an unknown time zone
 */
export function periodsOf(input: StepsInput, intervalMs: number, nowMs: number): Periods {
  const { stepMs, edges } = stepsOf(input, intervalMs, nowMs);
  const starts = edges.slice(0, -1);
  const fromMs = edges[0] ?? nowMs;
  const previousMs = 2 * fromMs - nowMs;
  const isExact = input.range === "1h" || input.range === "24h";
  if (isExact) return { stepMs, starts, previousMs, bounds: edges, isExact };
  const bounds = edges.map((edge) => Math.ceil(edge / hourMs) * hourMs);
  return { stepMs, starts, previousMs: hourOf(previousMs), bounds, isExact };
}

/** The index of the step that contains an instant; -1: before the first of `bounds`. */
export function stepAt(bounds: readonly number[], atMs: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bounds[middle]! <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** UTC days (their starts) that a bound cuts: their hours count for different steps. */
export function cutDays(bounds: readonly number[]): number[] {
  return [...new Set(bounds.filter((bound) => bound % dayMs !== 0).map(dayOf))];
}
