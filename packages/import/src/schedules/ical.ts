import ICAL from "ical.js";
import type { ImportedSchedule } from "./shapes.ts";
import { textOf } from "../formats/texts.ts";

const aheadMs = 90 * 86_400_000;
/** Limits against calendars that repeat each second. */
const maxShifts = 500;
const maxSteps = 20_000;

/**
 * Reads a calendar feed (RFC 5545). Each event of the next 90 days becomes an override: its attendee's mail address, or
 * its summary, is the person. Sonde schedules repeat by layers, which events do not tell.
 */
export function readCalendar(data: unknown, nowMs = Date.now()): ImportedSchedule[] {
  if (typeof data !== "string") return [];
  let calendar: ICAL.Component;
  try {
    calendar = new ICAL.Component(ICAL.parse(data) as unknown[]);
  } catch {
    return [];
  }
  // The registry is global; another calendar may define the same names.
  ICAL.TimezoneService.reset();
  for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);
  const events = calendar.getAllSubcomponents("vevent").map((event) => new ICAL.Event(event));
  const budget = { steps: maxSteps };
  const overrides = events
    .flatMap((event) => {
      try {
        return shiftsOf(event, nowMs, budget);
      } catch {
        // An event without a start, or with an invalid rule.
        return [];
      }
    })
    .toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start));
  return [
    {
      name: textOf(calendar.getFirstPropertyValue("x-wr-calname")) || "Calendar",
      timeZone: textOf(calendar.getFirstPropertyValue("x-wr-timezone")) || "UTC",
      layers: [],
      overrides: overrides.slice(0, maxShifts),
      notes: [{ text: "Shifts of the next 90 days are imported as overrides: add layers for the time after" }],
    },
  ];
}

function shiftsOf(event: ICAL.Event, nowMs: number, budget: { steps: number }): ImportedSchedule["overrides"] {
  // Changed occurrences of a series are part of the series.
  if (event.isRecurrenceException()) return [];
  const shifts: ImportedSchedule["overrides"] = [];
  const add = (item: ICAL.Event, start: ICAL.Time, end: ICAL.Time) => {
    const [startMs, endMs] = [start.toJSDate().getTime(), end.toJSDate().getTime()];
    if (!(endMs > nowMs && startMs < nowMs + aheadMs && endMs > startMs)) return;
    shifts.push({ member: personOf(item), start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() });
  };
  if (!event.isRecurring()) {
    add(event, event.startDate, event.endDate);
    return shifts;
  }
  const occurrences = event.iterator();
  while (budget.steps-- > 0) {
    const next = occurrences.next() as ICAL.Time | undefined;
    if (next === undefined || next.toJSDate().getTime() > nowMs + aheadMs) break;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    add(item, startDate, endDate);
  }
  return shifts;
}

function personOf({ attendees, summary }: ICAL.Event): string {
  const [attendee] = attendees.flatMap((property) => textOf(property.getFirstValue()));
  return attendee?.replace(/^mailto:/i, "") || textOf(summary).trim();
}
