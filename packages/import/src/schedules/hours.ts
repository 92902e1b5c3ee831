import type { ImportedLayer } from "./shapes.ts";

type Restriction = NonNullable<ImportedLayer["only"]>[number];

const dayMinutes = 1_440;
const weekMinutes = 7 * dayMinutes;
const everyDay = [1, 2, 3, 4, 5, 6, 7];

const twoDigits = (count: number) => count.toString().padStart(2, "0");
const timeOf = (minute: number): string =>
  `${twoDigits(Math.floor((minute % dayMinutes) / 60))}:${twoDigits(minute % 60)}`;

/** Hours on certain days; minutes are of the day. Past midnight if they end after it. */
export function hoursOn(days: number[], startMinute: number, minutes: number): Restriction[] {
  if (minutes <= 0 || minutes > dayMinutes) return [];
  return [{ days, start: timeOf(startMinute), end: timeOf(startMinute + minutes) }];
}

export const hoursDaily = (startMinute: number, minutes: number): Restriction[] =>
  hoursOn(everyDay, startMinute, minutes);

/** One span of each week, such as Friday 18:00 to Monday 08:00, divided at midnights. Minutes are of the week. */
export function hoursWeekly(startMinute: number, minutes: number): Restriction[] {
  const pieces: Restriction[] = [];
  const length = Math.min(minutes, weekMinutes);
  for (let done = 0; done < length;) {
    const at = (startMinute + done) % weekMinutes;
    const piece = Math.min(length - done, dayMinutes - (at % dayMinutes));
    pieces.push(...hoursOn([Math.floor(at / dayMinutes) + 1], at, piece));
    done += piece;
  }
  return joinDays(pieces);
}

/** Combines days with the same hours. */
export function joinDays(pieces: Restriction[]): Restriction[] {
  const byHours = Map.groupBy(pieces, ({ start, end }) => `${start} ${end}`);
  return [...byHours.values()].map((same) => ({
    days: [...new Set(same.flatMap(({ days }) => days))].sort((one, other) => one - other),
    start: same[0]?.start ?? "",
    end: same[0]?.end ?? "",
  }));
}

/** Converts the length of a turn from seconds to weeks, days or hours; `null` if it is no whole number of hours. */
export function everyOf(seconds: number): ImportedLayer["every"] | null {
  const units = { week: 604_800, day: 86_400, hour: 3_600 } as const;
  const unit = (["week", "day", "hour"] as const).find((one) => seconds > 0 && seconds % units[one] === 0);
  return unit === undefined ? null : { n: seconds / units[unit], unit };
}

/**
 * Returns the handoff and start of a rotation, in the schedule's zone.
 * @param given RFC 3339, or a local time of `givenZone` without an offset
 */
export function startOf(
  given: string,
  timeZone: string,
  { unit }: ImportedLayer["every"],
  givenZone = timeZone,
): Pick<ImportedLayer, "handoff" | "from"> | null {
  try {
    const at = /(?:Z|[+-]\d\d:?\d\d)$/.test(given)
      ? Temporal.Instant.from(given).toZonedDateTimeISO(timeZone)
      : Temporal.PlainDateTime.from(given).toZonedDateTime(givenZone).withTimeZone(timeZone);
    const time = at.toPlainTime().toString({ smallestUnit: "minute" });
    const handoff = unit === "week" ? { weekday: at.dayOfWeek, time } : { time };
    return { handoff, from: at.toPlainDate().toString() };
  } catch {
    return null;
  }
}
