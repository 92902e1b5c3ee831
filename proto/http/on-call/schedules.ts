import * as z from "zod";
import { id, instant, rowId, rowIds, success } from "../envelope.ts";
import { timeOfDay, timeZone } from "../notifications/settings.ts";

export const maxSchedules = 100;
export const maxLayers = 10;
export const maxMembers = 50;
export const maxOverrideMs = 30 * 86_400_000;
export const maxShiftsMs = 400 * 86_400_000;

/** ISO 8601: 1 is Monday. */
const weekday = z.int().min(1).max(7);
const restriction = z.strictObject({
  days: z.array(weekday).min(1).max(7),
  start: timeOfDay,
  end: timeOfDay.meta({ description: "On the next day if not later than the start." }),
});
const layer = z.strictObject({
  members: rowIds(maxMembers).min(1).meta({ description: "Ids of users, in the order of the rotation." }),
  every: z.strictObject({ n: z.int().min(1).max(365), unit: z.enum(["hour", "day", "week"]) }),
  handoff: z
    .strictObject({ weekday: weekday.optional(), time: timeOfDay })
    .meta({ description: "Local time at which shifts change; `weekday` for rotations by week." }),
  from: z.iso.date().meta({ description: "The first shift starts at the first handoff on or after this local date." }),
  only: z
    .array(restriction)
    .max(14)
    .optional()
    .meta({ description: "The layer applies only in these hours; the layers below it apply in the others." }),
});
export type Layer = z.infer<typeof layer>;

/** A later layer replaces the ones before it, where it applies. */
export const scheduleInput = z.strictObject({
  name: z.string().trim().min(1).max(100),
  timeZone,
  layers: z.array(layer).min(1).max(maxLayers),
});
export type ScheduleInput = z.infer<typeof scheduleInput>;

/** A user that a response mentions by id. `name` is absent for deleted users. */
export const person = z.object({ id, name: z.string().optional() });
const people = z.array(person).meta({ description: "The users whose ids appear in this response." });

const override = z.object({ id, userId: id, start: instant, end: instant });
export const schedule = z.object({
  id,
  name: z.string(),
  timeZone: z.string(),
  layers: z.array(z.object(layer.shape)),
  overrides: z.array(override).meta({ description: "Overrides that are not over." }),
  now: z
    .object({ userId: id, until: instant.optional() })
    .optional()
    .meta({ description: "Who is on call; absent in a gap." }),
  next: z.object({ userId: id, start: instant }).optional(),
});
export const scheduleAnswer = success({ schedule, people });
export const schedulesAnswer = success({ schedules: z.array(schedule), total: z.int(), people });

export const shiftsQuery = z.strictObject({ from: instant, to: instant });
export const shift = z.object({ userId: id, start: instant, end: instant, source: z.enum(["layer", "override"]) });
export const shiftsAnswer = success({
  shifts: z.array(shift),
  gaps: z.array(z.object({ start: instant, end: instant })),
  people,
});

export const overrideInput = z.strictObject({ userId: rowId, start: instant, end: instant });
export const overrideAnswer = success({ override });
