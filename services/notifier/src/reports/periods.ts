import type { ReportEvery } from "@sonde/proto/http/reports";

/** Epoch milliseconds; the end is excluded. */
export type ReportPeriod = { every: ReportEvery; id: string; fromMs: number; untilMs: number };

const lengths = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 }, year: { years: 1 } } as const;

const firstDay = (every: ReportEvery, day: Temporal.PlainDate): Temporal.PlainDate =>
  ({
    day: () => day,
    week: () => day.subtract({ days: day.dayOfWeek - 1 }),
    month: () => day.with({ day: 1 }),
    year: () => day.with({ month: 1, day: 1 }),
  })[every]();

function idOf(every: ReportEvery, first: Temporal.PlainDate): string {
  if (every === "week") return `${first.yearOfWeek}-W${String(first.weekOfYear).padStart(2, "0")}`;
  return first.toString().slice(0, { day: 10, month: 7, year: 4 }[every]);
}

/** Days begin at their first instant, which is not always midnight. */
const startOf = (day: Temporal.PlainDate, timeZone: string) => day.toZonedDateTime(timeZone).epochMilliseconds;

function periodFrom(every: ReportEvery, first: Temporal.PlainDate, timeZone: string): ReportPeriod {
  const next = first.add(lengths[every]);
  return { every, id: idOf(every, first), fromMs: startOf(first, timeZone), untilMs: startOf(next, timeZone) };
}

/** Returns the period that contains an instant. */
export function periodAt(every: ReportEvery, timeZone: string, atMs: number): ReportPeriod {
  const day = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(timeZone).toPlainDate();
  return periodFrom(every, firstDay(every, day), timeZone);
}

export const periodBefore = (timeZone: string, { every, fromMs }: ReportPeriod): ReportPeriod =>
  periodAt(every, timeZone, fromMs - 1);

/** Parses an id without a number of a correction. Returns undefined for one that does not exist, such as `2026-02-30`. */
export function readPeriod(every: ReportEvery, timeZone: string, id: string): ReportPeriod | undefined {
  const [, year = "", rest] = /^(\d{4})(?:-(W?\d{2}(?:-\d{2})?))?$/.exec(id) ?? [];
  try {
    // The fourth of January is always in the first week.
    const day = rest?.startsWith("W")
      ? Temporal.PlainDate.from(`${year}-01-04`).add({ weeks: Number(rest.slice(1)) - 1 })
      : Temporal.PlainDate.from(`${year}-${rest ?? "01"}`.padEnd(10, "-01"));
    const period = periodFrom(every, firstDay(every, day), timeZone);
    return period.id === id ? period : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the days of a period, or the months of a year, and the instants between which they lie. */
export function stepsOf(timeZone: string, { every, fromMs, untilMs }: ReportPeriod) {
  const step = every === "year" ? "month" : "day";
  const steps: string[] = [];
  const edges = [fromMs];
  while (edges.at(-1)! < untilMs) {
    const { id, untilMs: endMs } = periodAt(step, timeZone, edges.at(-1)!);
    steps.push(id);
    edges.push(endMs);
  }
  return { steps, edges };
}
