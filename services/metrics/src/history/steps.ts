import { type HistoryRange, type HistoryStep, stepsOfRange } from "@sonde/proto/http/monitors/checks";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

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
