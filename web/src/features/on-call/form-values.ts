import { type Schedule, type ScheduleInput, scheduleInput } from "@sonde/proto/http/on-call/schedules";
import { schemaErrors, type FormError } from "../../lib/form-errors.ts";
import { ownTimeZone } from "../../lib/format.ts";
import { wallTime } from "../../lib/zone-time.ts";

export const units = ["hour", "day", "week"] as const;
export type HoursValues = { days: number[]; start: string; end: string };
export type LayerValues = {
  members: number[];
  n: string;
  unit: (typeof units)[number];
  weekday: string;
  time: string;
  from: string;
  hours: HoursValues[];
};
export type ScheduleValues = { name: string; timeZone: string; layers: LayerValues[] };

export const newHours = (): HoursValues => ({ days: [1, 2, 3, 4, 5], start: "09:00", end: "17:00" });

export function newLayer(timeZone: string): LayerValues {
  const from = wallTime(Date.now(), timeZone).slice(0, 10);
  return { members: [], n: "1", unit: "week", weekday: "1", time: "09:00", from: mondayOf(from), hours: [] };
}

/** The Monday of a date's week, so that somebody is on call at once. */
function mondayOf(date: string): string {
  const day = new Date(date);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7) - 7);
  return day.toISOString().slice(0, 10);
}

export function newValues(): ScheduleValues {
  const timeZone = ownTimeZone();
  return { name: "", timeZone, layers: [newLayer(timeZone)] };
}

export const toValues = ({ name, timeZone, layers }: Schedule): ScheduleValues => ({
  name,
  timeZone,
  layers: layers.map(({ members, every, handoff, from, only = [] }) => ({
    members,
    n: String(every.n),
    unit: every.unit,
    weekday: String(handoff.weekday ?? 1),
    time: handoff.time,
    from,
    hours: only,
  })),
});

export const toInput = ({ name, timeZone, layers }: ScheduleValues): ScheduleInput => ({
  name: name.trim(),
  timeZone,
  layers: layers.map(({ members, n, unit, weekday, time, from, hours }) => ({
    members,
    every: { n: Number(n), unit },
    handoff: { ...(unit === "week" && { weekday: Number(weekday) }), time },
    from,
    ...(hours.length > 0 && { only: hours }),
  })),
});

/** The field of a path of the API: `layers.0.members.1` belongs to the list of members. */
export const fieldOf = (path: string): string =>
  path
    .replace(/^(layers\.\d+)\.(?:every|handoff)\./, "$1.")
    .replace(/^(layers\.\d+\.members)\..*/, "$1")
    .replace(/^(layers\.\d+)\.only(\.\d+)?/, "$1.hours$2")
    .replace(/^(layers\.\d+\.hours\.\d+\.days)\..*/, "$1");

export const checkValues = (values: ScheduleValues): FormError[] =>
  schemaErrors(scheduleInput, toInput(values)).map((error) => ({ ...error, path: fieldOf(error.path) }));
