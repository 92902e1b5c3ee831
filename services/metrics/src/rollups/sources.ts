import { dateText, dayMs, dayOf, instantText, secondText } from "./instants.ts";

/**
 * The sources of a span's figures: whole days from `check_days`; a day with touched hours from its other hours in
 * `check_hours`; the touched hours, and the present one, from the checks themselves. The three never overlap, so that
 * they add up exactly, whatever was rolled up by now. `fromMs` and `toMs` bound the span; `rawHours` are starts. Days
 * of `hourDays` (their starts) are read from their hours too, because the span or a step of it begins within them.
 */
export type RollupSources = { fromMs: number; toMs: number; rawHours: readonly number[]; hourDays?: readonly number[] };

/** Days whose hours are read separately. */
const dividedDays = ({ rawHours, hourDays = [] }: RollupSources) => [...new Set([...rawHours.map(dayOf), ...hourDays])];

/** Days that are read whole. */
export const daysWhere = "day >= {fromDay:Date} AND day < {toDay:Date} AND day NOT IN {rawDays:Array(Date)}";
export function dayParameters(sources: RollupSources) {
  const { fromMs, toMs } = sources;
  const divided = new Set(dividedDays(sources));
  // Days at the ends that are read by their hours are not looked for: their months contain nothing else of the span.
  let [first, end] = [dayOf(fromMs), dayOf(toMs + dayMs - 1)];
  while (first < end && divided.has(first)) first += dayMs;
  while (first < end && divided.has(end - dayMs)) end -= dayMs;
  return { fromDay: dateText(first), toDay: dateText(end), rawDays: [...divided].map(dateText) };
}

/** Hours from an instant on that are not raw themselves. */
export const hoursWhere = `hour >= {fromHour:DateTime('UTC')} AND hour < {toHour:DateTime('UTC')}
  AND hour NOT IN {rawHours:Array(DateTime('UTC'))}`;
export function hourParameters({ fromMs, toMs, rawHours }: RollupSources) {
  return { fromHour: secondText(fromMs), toHour: secondText(toMs), rawHours: rawHours.map(secondText) };
}

/** The start of the days whose hours are read separately; never before the span. */
export function rawDaysFrom(sources: RollupSources): number {
  return Math.max(sources.fromMs, Math.min(sources.toMs, ...dividedDays(sources)));
}

/** Checks of the raw hours. */
export const checksWhere = `slot >= {fromSlot:DateTime64(3, 'UTC')} AND slot < {toSlot:DateTime64(3, 'UTC')}
  AND toStartOfHour(slot) IN {rawHours:Array(DateTime('UTC'))}`;
export function checkParameters({ fromMs, toMs, rawHours }: RollupSources) {
  return {
    fromSlot: instantText(Math.max(fromMs, Math.min(toMs, ...rawHours))),
    toSlot: instantText(toMs),
    rawHours: rawHours.map(secondText),
  };
}
