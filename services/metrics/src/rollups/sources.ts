import { dateText, dayMs, dayOf, instantText, secondText } from "./instants.ts";

/**
 * Where the figures of a span come from: whole days from `check_days`; a day that holds touched hours from its other
 * hours in `check_hours`; the touched hours, and the present one, from the checks themselves. The three never overlap,
 * so that they add up exactly, whatever was rolled up by now. `fromMs` and `toMs` bound the span; `rawHours` are starts.
 */
export type Sources = { fromMs: number; toMs: number; rawHours: readonly number[] };

/** Days of which nothing is raw. */
export const daysWhere = "day >= {fromDay:Date} AND day < {toDay:Date} AND day NOT IN {rawDays:Array(Date)}";
export function dayParameters({ fromMs, toMs, rawHours }: Sources) {
  return {
    fromDay: dateText(fromMs),
    toDay: dateText(dayOf(toMs + dayMs - 1)),
    rawDays: [...new Set(rawHours.map(dayOf))].map(dateText),
  };
}

/** Hours from an instant on that are not raw themselves. */
export const hoursWhere = `hour >= {fromHour:DateTime('UTC')} AND hour < {toHour:DateTime('UTC')}
  AND hour NOT IN {rawHours:Array(DateTime('UTC'))}`;
export function hourParameters({ fromMs, toMs, rawHours }: Sources) {
  return { fromHour: secondText(fromMs), toHour: secondText(toMs), rawHours: rawHours.map(secondText) };
}

/** Where the days that hold raw hours begin; never before the span. */
export function rawDaysFrom({ fromMs, toMs, rawHours }: Sources): number {
  return Math.max(fromMs, Math.min(toMs, ...rawHours.map(dayOf)));
}

/** Checks of the raw hours. */
export const checksWhere = `slot >= {fromSlot:DateTime64(3, 'UTC')} AND slot < {toSlot:DateTime64(3, 'UTC')}
  AND toStartOfHour(slot) IN {rawHours:Array(DateTime('UTC'))}`;
export function checkParameters({ fromMs, toMs, rawHours }: Sources) {
  return {
    fromSlot: instantText(Math.max(fromMs, Math.min(toMs, ...rawHours))),
    toSlot: instantText(toMs),
    rawHours: rawHours.map(secondText),
  };
}
