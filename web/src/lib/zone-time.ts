import { cached, ownTimeZone } from "./format.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** What the clock of a zone shows at an instant, as an input of the type `datetime-local` has it: `2026-03-29T02:30`. */
export function wallTime(atMs: number, timeZone: string): string {
  // Swedish dates are those of ISO 8601.
  const style = cached(
    `wall ${timeZone}`,
    () => new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }),
  );
  return style.format(atMs).replace(" ", "T").padStart(16, "0");
}

const offsetMs = (atMs: number, timeZone: string): number => {
  const wholeMs = Math.floor(atMs / minuteMs) * minuteMs;
  return Date.parse(`${wallTime(wholeMs, timeZone)}Z`) - wholeMs;
};

/**
 * When the clock of a zone shows this, epoch milliseconds; null for what is no time. Of a time that a day has twice the
 * first; of one that a day skips as much later as was skipped: Temporal's "compatible", which not every browser has.
 */
export function instantOf(wall: string, timeZone: string): number | null {
  const localMs = Date.parse(`${wall}Z`);
  if (Number.isNaN(localMs)) return null;
  const before = offsetMs(localMs - dayMs, timeZone);
  const after = offsetMs(localMs + dayMs, timeZone);
  const fitting = [before, after].find((offset) => offsetMs(localMs - offset, timeZone) === offset);
  return localMs - (fitting ?? before);
}

/** When the clock of a zone shows this time (`08:00`) on the day of an instant, or so many days later; epoch milliseconds. */
export function timeOfDay(time: string, atMs: number, days: number, timeZone: string): number {
  const date = new Date(`${wallTime(atMs, timeZone).slice(0, 10)}T${time}Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return instantOf(date.toISOString().slice(0, 16), timeZone) ?? atMs;
}

/** The zones to choose from; the browser's and the one that is chosen are always among them. */
export function zonesWith(chosen: string): readonly string[] {
  const all = cached("zones", () =>
    [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC", ownTimeZone()])].toSorted(),
  );
  return chosen === "" || all.includes(chosen) ? all : [chosen, ...all];
}
