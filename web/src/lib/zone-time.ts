import { cached, ownTimeZone } from "./format.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Wall-clock time of a time zone, as an input of type `datetime-local` needs it: `2026-03-29T02:30`. */
export function wallTime(atMs: number, timeZone: string): string {
  // Swedish dates are in ISO 8601 format.
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
 * Returns the epoch milliseconds of a wall-clock time, or `null` if it is invalid. A time that exists twice is the
 * first; one that a clock change skips is moved later by the length of the gap. This is `compatible` of Temporal, which
 * not every browser has.
 */
export function instantOf(wall: string, timeZone: string): number | null {
  const localMs = Date.parse(`${wall}Z`);
  if (Number.isNaN(localMs)) return null;
  const before = offsetMs(localMs - dayMs, timeZone);
  const after = offsetMs(localMs + dayMs, timeZone);
  const fitting = [before, after].find((offset) => offsetMs(localMs - offset, timeZone) === offset);
  return localMs - (fitting ?? before);
}

/** Returns the epoch milliseconds of a wall-clock time (`08:00`) on the day of an instant plus `days`. */
export function timeOfDay(time: string, atMs: number, days: number, timeZone: string): number {
  const date = new Date(`${wallTime(atMs, timeZone).slice(0, 10)}T${time}Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return instantOf(date.toISOString().slice(0, 16), timeZone) ?? atMs;
}

/** Names that browsers still list, and their current names in the IANA database (its file `backward`). */
const renamed: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};
export const currentZoneName = (zone: string): string => renamed[zone] ?? zone;

/** Returns all time zones by their current names, including the browser's and the selected one. */
export function zonesWith(chosen: string): readonly string[] {
  const all = cached("zones", () =>
    [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC", ownTimeZone()].map(currentZoneName))].toSorted(),
  );
  return chosen === "" || all.includes(chosen) ? all : [chosen, ...all];
}
