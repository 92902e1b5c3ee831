import { RRuleTemporal } from "rrule-temporal";
import type { Rule } from "./rule.ts";

/** A schedule of one or recurring occurrences. Instants are epoch milliseconds. */
export type Schedule = {
  /** Start of the first occurrence, even if the rule does not include its day. */
  startMs: number;
  endMs: number;
  /** IANA. */
  timeZone: string;
  rule: Rule | null;
};

/** End excluded. */
export type TimeSpan = { fromMs: number; toMs: number };

export const dayMs = 86_400_000;
export const maxMs = 31 * dayMs;
/** How far ahead the next occurrence is searched; leap days are furthest apart. */
const furthestMs = 1_500 * dayMs;
// A rule of days checks each day once. More would be a bug, and is aborted.
const maxPeriods = 20_000;
const maxCandidates = 200_000;

/** Occurrences that begin after `afterMs` and until `untilMs`, oldest first, without overlap; else the next. */
export function occurrencesAfter(schedule: Schedule, afterMs: number, untilMs: number): TimeSpan[] {
  const found = withoutOverlap(occurrencesBetween(schedule, afterMs, untilMs));
  if (found.length > 0) return found;
  for (const aheadMs of [400 * dayMs, furthestMs]) {
    const next = occurrencesBetween(schedule, untilMs, untilMs + aheadMs).slice(0, 1);
    if (next.length > 0) return next;
  }
  return [];
}

/** Returns the occurrence that contains an instant; if two overlap, the later one. */
export function occurrenceAt(schedule: Schedule, atMs: number): TimeSpan | undefined {
  const begun = withoutOverlap(occurrencesBetween(schedule, atMs - maxMs - dayMs, atMs));
  return begun.findLast(({ toMs }) => toMs > atMs);
}

/** Whether an occurrence in the first 400 days overlaps the next. */
export function overlapsItself(schedule: Schedule): boolean {
  const { startMs, endMs, rule } = schedule;
  // Occurrences are at least a day apart, which may have 23 hours.
  if (rule === null || endMs - startMs <= dayMs / 2) return false;
  const found = occurrencesBetween(schedule, startMs - 1, startMs + 400 * dayMs);
  return found.some(({ fromMs }, index) => index > 0 && fromMs < found[index - 1]!.toMs);
}

/**
 * Returns all occurrences that begin after `afterMs`, up to and including `untilMs`.
 *
 * The rule is evaluated on wall-clock times (as UTC, where each day has each hour once), and the result is then
 * converted in the time zone. A skipped or repeated time is Temporal's "compatible" one (RFC 5545 3.3.5), while a rule
 * evaluated in the zone would leave that day out. Ends follow the wall clock too.
 */
export function occurrencesBetween(schedule: Schedule, afterMs: number, untilMs: number): TimeSpan[] {
  const { startMs, endMs, timeZone, rule } = schedule;
  const isWanted = ({ fromMs }: TimeSpan) => fromMs > afterMs && fromMs <= untilMs;
  if (rule === null) return [{ fromMs: startMs, toMs: endMs }].filter(isWanted);
  if (untilMs < startMs) return [];
  const first = wallClock(startMs, timeZone);
  const length = first.until(wallClock(endMs, timeZone), { largestUnit: "hour" });
  const instantOf = (wall: Temporal.PlainDateTime) => wall.toZonedDateTime(timeZone).epochMilliseconds;
  const spans = wallTimes(rule, first, schedule, afterMs - dayMs, untilMs + dayMs).map((wall) => {
    if (wall.equals(first)) return { fromMs: startMs, toMs: endMs };
    const [fromMs, toMs] = [instantOf(wall), instantOf(wall.add(length))];
    // If the clock skips the end, or repeats the start after it, the first occurrence's duration applies.
    return { fromMs, toMs: toMs > fromMs ? toMs : fromMs + (endMs - startMs) };
  });
  // A day that a zone skipped (Samoa in 2011) becomes its neighbour.
  const seen = new Set<number>();
  return spans.filter((span) => isWanted(span) && !seen.has(span.fromMs) && seen.add(span.fromMs));
}

function wallTimes(
  { freq, interval, count, until, ...by }: Rule,
  first: Temporal.PlainDateTime,
  { timeZone }: Schedule,
  afterMs: number,
  untilMs: number,
): Temporal.PlainDateTime[] {
  const last = until?.isUtc ? wallClock(until.wall.toZonedDateTime("UTC").epochMilliseconds, timeZone) : until?.wall;
  const rule = new RRuleTemporal({
    freq,
    interval,
    count,
    until: last?.toZonedDateTime("UTC"),
    ...by,
    dtstart: first.toZonedDateTime("UTC"),
    includeDtstart: true,
    cache: false,
    maxIterations: maxPeriods,
    maxCandidateEvaluations: maxCandidates,
    temporal: Temporal,
  });
  const utc = (ms: number) => wallClock(ms, timeZone).toZonedDateTime("UTC");
  return rule.between(utc(afterMs), utc(untilMs), true).map((found) => found.toPlainDateTime());
}

const wallClock = (ms: number, timeZone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDateTime();

function withoutOverlap(spans: readonly TimeSpan[]): TimeSpan[] {
  return spans.map(({ fromMs, toMs }, index) => ({
    fromMs,
    toMs: Math.min(toMs, spans[index + 1]?.fromMs ?? toMs),
  }));
}
