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

/** The periods of a history: its steps, and the period before them. Epoch milliseconds. */
export type Periods = {
  stepMs: number;
  /** The start of each step, for the answer. */
  starts: readonly number[];
  /** The end of what has passed of them. */
  untilMs: number;
  /** Where the period before begins; it ends with the first bound. */
  previousMs: number;
  /** Where the counting of each step begins, and where that of the last one ends. */
  bounds: readonly number[];
  /** Read from single checks; else from hours and days. */
  isExact: boolean;
};

/**
 * The periods of a history. Up to a day is read from the checks, as long as they are kept: from `rawFromMs` on. The rest
 * is read from hourly figures, so that there every bound is a whole UTC hour: an hour that spans midnight of a zone counts
 * for the day in which it began.
 * @throws RangeError for an unknown time zone
 */
export function periodsOf(
  input: StepsInput,
  intervalMs: number,
  nowMs: number,
  rawFromMs = Number.NEGATIVE_INFINITY,
): Periods {
  const { fromMs: askedMs, lastMs } = periodOf(input, nowMs);
  const isExact = lastMs - askedMs <= dayMs && askedMs >= rawFromMs;
  const { stepMs, edges } = stepsOf(input, isExact ? intervalMs : Math.max(intervalMs || 0, hourMs), nowMs);
  const starts = edges.slice(0, -1);
  const fromMs = edges[0] ?? nowMs;
  const untilMs = Math.min(nowMs, edges.at(-1) ?? nowMs);
  const previousMs = 2 * fromMs - untilMs;
  if (isExact) return { stepMs, starts, untilMs, previousMs, bounds: edges, isExact };
  const bounds = edges.map((edge) => Math.ceil(edge / hourMs) * hourMs);
  return { stepMs, starts, untilMs, previousMs: hourOf(previousMs), bounds, isExact };
}

/** From where a period is asked for, and an instant of its last step. */
export function periodOf(input: Omit<StepsInput, "step" | "timeZone">, nowMs: number) {
  const own = ownPeriod(input, nowMs);
  if (own === null) return { fromMs: nowMs - spansMs[input.range], lastMs: nowMs };
  const lastMs = Math.min(nowMs, own.untilMs - 1);
  return { fromMs: Math.min(own.fromMs, lastMs), lastMs };
}

/** The index of the step that contains an instant; -1: before the first of `bounds`. */
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

/** UTC days (their starts) that a bound cuts: their hours count for different steps. */
export function cutDays(bounds: readonly number[]): number[] {
  return [...new Set(bounds.filter((bound) => bound % dayMs !== 0).map(dayOf))];
}

/** Beyond this a longer step shows no more. */
const maxMs = 400 * dayMs;

/** The request of a chart; `timeZone` (IANA) defines the days of 1d steps, and instants take the place of a range (`ownPeriod`). */
export type StepsInput = {
  range: HistoryRange;
  from?: string | undefined;
  until?: string | undefined;
  step?: HistoryStep | undefined;
  timeZone?: string;
};

/** The steps of a chart: each from one edge up to the next, the last one holding the present; epoch milliseconds. */
type Steps = {
  /** A day counts as 24 hours here, also where a change of clocks makes it shorter or longer. */
  stepMs: number;
  edges: readonly number[];
};

/**
 * The steps of a range. A step is a whole multiple of the requested one and never shorter than the interval, so that no
 * step is empty only because nothing was due in it.
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

/** The day of a zone in which an instant lies, counted from 1970. */
function daysSince(timeZone: string, atMs: number): number {
  const day = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(timeZone).toPlainDate();
  return firstDay.until(day).days;
}

/** Where days of a zone begin, or every nth of them, counted from 1970 on so that they do not move from day to day. */
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
