import {
  type HistoryRange,
  type HistoryStep,
  ownPeriod,
  spansMs,
  stepOfPeriod,
  stepsMs,
  stepsOfRange,
} from "@sonde/proto/http/monitors/checks";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";

export type Periods = {
  stepMs: number;
  starts: readonly number[];
  untilMs: number;
  /** Start of the previous period, which ends at the first bound. */
  previousMs: number;
  /** Start of the checks that count for each step, and the end for the last one. */
  bounds: readonly number[];
  isExact: boolean;
};

/**
 * Up to a day is read from single checks, if they are retained (from `rawFromMs`). Longer periods are read from hourly
 * figures, so their bounds are whole UTC hours: one that spans a zone's midnight counts for the day in which it begins.
 * @throws RangeError for an unknown time zone
 */
export function periodsOf(
  input: StepsInput,
  intervalMs: number,
  nowMs: number,
  rawFromMs = Number.NEGATIVE_INFINITY,
): Periods {
  const { fromMs: requestedFromMs, lastMs } = periodOf(input, nowMs);
  const isExact = lastMs - requestedFromMs <= dayMs && requestedFromMs >= rawFromMs;
  const { stepMs, edges } = stepsOf(input, isExact ? intervalMs : Math.max(intervalMs || 0, hourMs), nowMs);
  const starts = edges.slice(0, -1);
  const fromMs = edges[0] ?? nowMs;
  const untilMs = Math.min(nowMs, edges.at(-1) ?? nowMs);
  const previousMs = 2 * fromMs - untilMs;
  if (isExact) return { stepMs, starts, untilMs, previousMs, bounds: edges, isExact };
  const bounds = edges.map((edge) => Math.ceil(edge / hourMs) * hourMs);
  return { stepMs, starts, untilMs, previousMs: hourOf(previousMs), bounds, isExact };
}

/** Returns the start of the requested period, and an instant in its last step. */
export function periodOf(input: Omit<StepsInput, "step" | "timeZone">, nowMs: number) {
  const own = ownPeriod(input, nowMs);
  if (own === null) return { fromMs: nowMs - spansMs[input.range], lastMs: nowMs };
  const lastMs = Math.min(nowMs, own.untilMs - 1);
  return { fromMs: Math.min(own.fromMs, lastMs), lastMs };
}

/** Index of the step that contains an instant; -1 before the first bound. */
export function stepIndexAt(bounds: readonly number[], atMs: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bounds[middle]! <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** UTC days (their starts) that contain a bound: their hours count for different steps. */
export function cutDays(bounds: readonly number[]): number[] {
  return [...new Set(bounds.filter((bound) => bound % dayMs !== 0).map(dayOf))];
}

/** A longer step would not show more. */
const maxMs = 400 * dayMs;

/** `timeZone` (IANA) defines the days of 1d steps; `from` and `until` override the range (`ownPeriod`). */
export type StepsInput = {
  range: HistoryRange;
  from?: string | undefined;
  until?: string | undefined;
  step?: HistoryStep | undefined;
  timeZone?: string;
};

type Steps = {
  /** Days count as 24 hours here, even if daylight saving time makes one longer or shorter. */
  stepMs: number;
  edges: readonly number[];
};

/**
 * A step is a multiple of the requested one and never shorter than the interval, so that something is due in each.
 * @throws RangeError for an unknown time zone
 */
export function stepsOf(input: StepsInput, intervalMs: number, nowMs: number): Steps {
  const { range, timeZone = "UTC" } = input;
  const { fromMs, lastMs } = periodOf(input, nowMs);
  const isOwn = ownPeriod(input, nowMs) !== null;
  const step = input.step ?? (isOwn ? stepOfPeriod(lastMs - fromMs) : stepsOfRange[range][0]);
  const unitMs = stepsMs[step];
  const intervals = Math.ceil(Math.min(intervalMs, maxMs) / unitMs);
  const multiple = intervals >= 1 ? intervals : 1;
  const stepMs = multiple * unitMs;
  const ofRange = Math.max(1, Math.ceil(spansMs[range] / stepMs));
  if (step === "1d") {
    const dayAt = (atMs: number) => Math.floor(daysSince(timeZone, atMs) / multiple) * multiple;
    const last = dayAt(lastMs);
    const count = isOwn ? (last - dayAt(fromMs)) / multiple + 1 : ofRange;
    return { stepMs, edges: dayEdges({ timeZone, multiple, count, last }) };
  }
  const last = Math.floor(lastMs / stepMs);
  const count = isOwn ? last - Math.floor(fromMs / stepMs) + 1 : ofRange;
  return { stepMs, edges: Array.from({ length: count + 1 }, (_, edge) => (last + 1 - count + edge) * stepMs) };
}

const firstDay = Temporal.PlainDate.from("1970-01-01");

function daysSince(timeZone: string, atMs: number): number {
  const day = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(timeZone).toPlainDate();
  return firstDay.until(day).days;
}

/** Starts of every `multiple`th day in the zone. Counted from 1970, so that steps do not shift from day to day. */
function dayEdges({
  timeZone,
  multiple,
  count,
  last,
}: {
  timeZone: string;
  multiple: number;
  count: number;
  last: number;
}): number[] {
  return Array.from({ length: count + 1 }, (_, edge) => {
    const day = firstDay.add({ days: last - (count - 1 - edge) * multiple });
    return day.toZonedDateTime(timeZone).epochMilliseconds;
  });
}
