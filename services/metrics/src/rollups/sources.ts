import { dateText, dayMs, dayOf, instantText, secondText } from "./instants.ts";

/**
 * Sources of a span's figures: whole days from `check_days`; for days with touched hours, their other hours from
 * `check_hours`; touched hours and the current one from checks. These never overlap, so they add up exactly, no matter
 * what has been rolled up. `fromMs` and `toMs` bound the span; `rawHours` are starts. Days of `hourDays` (their starts)
 * are read by hour as well, because the span or one of its steps begins within them.
 */
export type RollupSources = { fromMs: number; toMs: number; rawHours: readonly number[]; hourDays?: readonly number[] };

/** Days that are read by hour. */
const dividedDays = ({ rawHours, hourDays = [] }: RollupSources) => [...new Set([...rawHours.map(dayOf), ...hourDays])];

export const daysWhere = "day >= {fromDay:Date} AND day < {toDay:Date} AND day NOT IN {rawDays:Array(Date)}";
export function dayParameters(sources: RollupSources) {
  const { fromMs, toMs } = sources;
  const divided = new Set(dividedDays(sources));
  // Skip such days at the ends of the span: their partitions may contain nothing else of it.
  let [first, end] = [dayOf(fromMs), dayOf(toMs + dayMs - 1)];
  while (first < end && divided.has(first)) first += dayMs;
  while (first < end && divided.has(end - dayMs)) end -= dayMs;
  return { fromDay: dateText(first), toDay: dateText(end), rawDays: [...divided].map(dateText) };
}

export const hoursWhere = `hour >= {fromHour:DateTime('UTC')} AND hour < {toHour:DateTime('UTC')}
  AND hour NOT IN {rawHours:Array(DateTime('UTC'))}`;
export function hourParameters({ fromMs, toMs, rawHours }: RollupSources) {
  return { fromHour: secondText(fromMs), toHour: secondText(toMs), rawHours: rawHours.map(secondText) };
}

/** Start of the first day that is read by hour; never before the span. */
export function rawDaysFrom(sources: RollupSources): number {
  return Math.max(sources.fromMs, Math.min(sources.toMs, ...dividedDays(sources)));
}

export const checksWhere = `slot >= {fromSlot:DateTime64(3, 'UTC')} AND slot < {toSlot:DateTime64(3, 'UTC')}
  AND toStartOfHour(slot) IN {rawHours:Array(DateTime('UTC'))}`;
export function checkParameters({ fromMs, toMs, rawHours }: RollupSources) {
  return {
    fromSlot: instantText(Math.max(fromMs, Math.min(toMs, ...rawHours))),
    toSlot: instantText(toMs),
    rawHours: rawHours.map(secondText),
  };
}
