import { type HistoryRange, type HistoryStep, stepsOfRange } from "@sonde/proto/http/monitors/checks";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";

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

const minuteMs = 60_000;

/** Beyond this a longer step shows no more. */
const longestMs = 400 * dayMs;

const spansMs = { "1h": hourMs, "24h": dayMs, "7d": 7 * dayMs, "30d": 30 * dayMs } satisfies Record<
  HistoryRange,
  number
>;
const unitsMs = { "1m": minuteMs, "5m": 5 * minuteMs, "1h": hourMs, "1d": dayMs } satisfies Record<HistoryStep, number>;

/** The request of a chart; `timeZone` (IANA) defines the days of 1d steps. */
export type StepsInput = { range: HistoryRange; step?: HistoryStep; timeZone?: string };

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
export function stepsOf(
  { range, step = stepsOfRange[range][0], timeZone = "UTC" }: StepsInput,
  intervalMs: number,
  nowMs: number,
): Steps {
  const unitMs = unitsMs[step];
  const intervals = Math.ceil(Math.min(intervalMs, longestMs) / unitMs);
  const multiple = intervals >= 1 ? intervals : 1;
  const stepMs = multiple * unitMs;
  const count = Math.max(1, Math.ceil(spansMs[range] / stepMs));
  if (step === "1d") return { stepMs, edges: dayEdges({ timeZone, multiple, count, nowMs }) };
  const endMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  return { stepMs, edges: Array.from({ length: count + 1 }, (_, edge) => endMs - (count - edge) * stepMs) };
}

const firstDay = Temporal.PlainDate.from("1970-01-01");

/** Where days of a zone begin, or every nth of them, counted from 1970 on so that they do not move from day to day. */
function dayEdges({
  timeZone,
  multiple,
  count,
  nowMs,
}: {
  timeZone: string;
  multiple: number;
  count: number;
  nowMs: number;
}): number[] {
  const today = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs)).toZonedDateTimeISO(timeZone).toPlainDate();
  const last = Math.floor(firstDay.until(today).days / multiple) * multiple;
  return Array.from({ length: count + 1 }, (_, edge) => {
    const day = firstDay.add({ days: last - (count - 1 - edge) * multiple });
    return day.toZonedDateTime(timeZone).epochMilliseconds;
  });
}
