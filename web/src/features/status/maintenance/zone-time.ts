const dayMs = 86_400_000;
const minuteMs = 60_000;
const styles = new Map<string, Intl.DateTimeFormat>();

/** The clock of a zone, to the minute. */
function styleOf(timeZone: string): Intl.DateTimeFormat {
  const style =
    styles.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    });
  styles.set(timeZone, style);
  return style;
}

/** What the clock of a zone shows at an instant, as an input of the type `datetime-local` has it: `2026-03-29T02:30`. */
export function wallTime(atMs: number, timeZone: string): string {
  const parts = new Map(
    styleOf(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? "00";
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
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

export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

let zones: readonly string[] | undefined;

/** The zones to choose from; the browser's and the one that is chosen are always among them. */
export function zonesWith(chosen: string): readonly string[] {
  zones ??= [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC", ownTimeZone()])].toSorted();
  return chosen === "" || zones.includes(chosen) ? zones : [chosen, ...zones];
}
