import type { PublicDay } from "@sonde/proto/http/status/status";
import { dayText, percentText, spanText } from "./figures.ts";
import type { PageView } from "./input.ts";

/** Below this coverage is written beside the uptime. */
export const fullCoverage = 99.5;
const thinCoverage = 90;

/** Without anything to report: it was monitored, and everything worked. */
export const isPerfect = (day: PublicDay): boolean =>
  day.uptime === 100 &&
  (day.coverage ?? 0) >= fullCoverage &&
  !day.incidents &&
  !day.maintenanceMinutes &&
  !day.pausedMinutes;

/**
 * How a day's bar looks, as letters of the style sheet: nothing for 100 %; a to c by uptime; n no data, m maintenance,
 * p paused, z not there yet; with t maintenance in between, with l little coverage.
 */
export function lookOf({ uptime, coverage, maintenanceMinutes = 0, pausedMinutes = 0 }: PublicDay): string {
  if (uptime === null) {
    if (coverage !== null) return "n";
    if (maintenanceMinutes > 0) return "m";
    return pausedMinutes > 0 ? "p" : "z";
  }
  const grade = uptime === 100 ? "" : uptime >= 99.5 ? "a" : uptime >= 95 ? "b" : "c";
  const marks = [grade, maintenanceMinutes > 0 ? "t" : "", (coverage ?? 0) < thinCoverage ? "l" : ""];
  return marks.filter((mark) => mark !== "").join(" ");
}

/** A day in words, without its date. */
export function dayWords(day: PublicDay, { say, language }: PageView): string {
  const { uptime, coverage, incidents = 0, maintenanceMinutes = 0, pausedMinutes = 0 } = day;
  const wasDue = coverage !== null;
  const nothing = wasDue ? say.day.noData : say.day.before;
  const parts = [
    uptime !== null && say.day.uptime(percentText(uptime, language)),
    uptime === null && maintenanceMinutes === 0 && pausedMinutes === 0 && nothing,
    uptime === null && wasDue && (maintenanceMinutes > 0 || pausedMinutes > 0) && say.day.noData,
    wasDue && uptime !== null && say.day.coverage(percentText(coverage, language)),
    incidents > 0 ? say.day.incidents(incidents) : uptime !== null && say.day.noIncidents,
    maintenanceMinutes > 0 && say.day.maintenance(spanText(maintenanceMinutes * 60_000, language)),
    pausedMinutes > 0 && say.day.paused(spanText(pausedMinutes * 60_000, language)),
  ];
  return parts.filter((part) => part !== false).join(say.script.comma);
}

export type Stretch = { first: number; last: number; dates: string; text: string };

/** The days that were not perfect, the newest first; neighbours with the same text are one stretch. */
export function notableStretches(days: readonly PublicDay[], view: PageView): Stretch[] {
  const found: { first: number; last: number; text: string }[] = [];
  for (const [index, day] of days.entries()) {
    if (isPerfect(day)) continue;
    const text = dayWords(day, view);
    const before = found.at(-1);
    if (before?.last === index - 1 && before.text === text) before.last = index;
    else found.push({ first: index, last: index, text });
  }
  return found
    .map((one) => ({ ...one, dates: dayText(days[one.first]!.date, days[one.last]!.date, view) }))
    .toReversed();
}
