import { RRuleTemporal } from "rrule-temporal";
import type { Rule } from "./rule.ts";

/** When something happens, once or by a rule. Instants are epoch milliseconds. */
export type Schedule = {
  /** Of the first time, whether the rule names its day or not. */
  startMs: number;
  endMs: number;
  /** IANA. */
  timeZone: string;
  rule: Rule | null;
};

/** From an instant up to, but not at, another. */
export type TimeSpan = { fromMs: number; toMs: number };

export const dayMs = 86_400_000;
export const maxMs = 31 * dayMs;
/** How far ahead the next occurrence is searched: leap days are the furthest apart. */
const furthestMs = 1_500 * dayMs;
// A rule of days checks each day once; more is a fault of ours and ends.
const maxPeriods = 20_000;
const maxCandidates = 200_000;

/**
 * Occurrences that begin after an instant, up to and at another, oldest first, and the next one if there is none; none
 * reaches into another.
 */
export function occurrencesAfter(schedule: Schedule, afterMs: number, untilMs: number): TimeSpan[] {
  const found = withoutOverlap(occurrencesBetween(schedule, afterMs, untilMs));
  if (found.length > 0) return found;
  for (const aheadMs of [400 * dayMs, furthestMs]) {
    const next = occurrencesBetween(schedule, untilMs, untilMs + aheadMs).slice(0, 1);
    if (next.length > 0) return next;
  }
  return [];
}

/** The occurrence that contains an instant; undefined: none. Where two overlap, the later one. */
export function occurrenceAt(schedule: Schedule, atMs: number): TimeSpan | undefined {
  const begun = withoutOverlap(occurrencesBetween(schedule, atMs - maxMs - dayMs, atMs));
  return begun.findLast(({ toMs }) => toMs > atMs);
}

/** Whether an occurrence reaches into the next, within its first 400 days. */
export function overlapsItself(schedule: Schedule): boolean {
  const { startMs, endMs, rule } = schedule;
  // Nothing recurs sooner than a day later, which may have 23 hours.
  if (rule === null || endMs - startMs <= dayMs / 2) return false;
  const found = occurrencesBetween(schedule, startMs - 1, startMs + 400 * dayMs);
  return found.some(({ fromMs }, index) => index > 0 && fromMs < found[index - 1]!.toMs);
}

/**
 * All that begin after an instant, up to and at another.
 *
 * The rule is followed on the clock alone (in UTC, where each day has each hour once), and what it gives is then read in
 * the zone: a time that a day skips, or has twice, is Temporal's "compatible" one (RFC 5545 3.3.5), where a rule followed
 * in the zone would leave that day out. An end is the first one's, as the clock shows it.
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
    // Where the clock skips its end, or shows its start again after it, what counts is how long the first one took.
    return { fromMs, toMs: toMs > fromMs ? toMs : fromMs + (endMs - startMs) };
  });
  // A day that a zone skipped whole (Samoa in 2011) is its neighbour.
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
