import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { id, instant, listQuery, rowId, success } from "../envelope.ts";
import { timeOfDay, timeZone } from "../notifications/settings.ts";
import { nameOf } from "../text.ts";

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
export const layer = z.strictObject({
  members: z
    .array(rowId)
    .min(1)
    .max(maxMembers)
    .meta({ description: "Ids of users, in the order of the rotation. A user may appear more than once." }),
  every: z.strictObject({ n: z.int().min(1).max(365), unit: z.enum(["hour", "day", "week"]) }).meta({
    description: "Length of a turn in local time. A day of a clock change has 23 or 25 hours, and so has its turn.",
  }),
  handoff: z.strictObject({ weekday: weekday.optional(), time: timeOfDay }).meta({
    description:
      "Local time at which shifts change; `weekday` for rotations by week. A time that a clock change skips is the instant after it.",
  }),
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
  name: nameOf(100),
  timeZone,
  layers: z.array(layer).max(maxLayers).meta({ description: "Without any, only overrides apply." }),
});
export type ScheduleInput = z.infer<typeof scheduleInput>;
export const schedulePatch = scheduleInput.partial();
export type SchedulePatch = z.infer<typeof schedulePatch>;

/** A user that a response mentions by id. `name` is absent for deleted users. */
export const person = z.object({ id, name: z.string().optional() });
export type NamedUser = z.infer<typeof person>;
const people = z.array(person).meta({ description: "The users whose ids appear in this response." });

export const override = z.object({ id, userId: id, start: instant, end: instant });
export type Override = z.infer<typeof override>;
export const schedule = z.object({
  id,
  name: z.string(),
  timeZone: z.string(),
  layers: z.array(z.object(layer.shape)),
  overrides: z.array(override).meta({ description: "Overrides that are not over." }),
  now: z
    .object({
      userId: id,
      until: instant.optional(),
      isUnreachable: z.literal(true).optional().meta({
        description: "Only in lists: the user has no contacts and no mail, and cannot be notified.",
      }),
    })
    .optional()
    .meta({ description: "Who is on call; absent in a gap." }),
  next: z.object({ userId: id, start: instant }).optional().meta({
    description: "Who is on call next, within 400 days.",
  }),
  hasFeed: z.boolean().meta({ description: "True if a calendar feed has an address." }),
  managed: managedBy.optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type OnCallSchedule = z.infer<typeof schedule>;
export const scheduleSorts = ["name", "createdAt"] as const;
export const schedulesQuery = z.strictObject(listQuery(scheduleSorts));
export const scheduleAnswer = success({ schedule, people });
export const schedulesAnswer = success({ schedules: z.array(schedule), total: z.int(), people });

export const shiftsQuery = z.strictObject({
  from: instant,
  to: instant.meta({ description: "At most 400 days after `from`." }),
});
export const shift = z.object({ userId: id, start: instant, end: instant, source: z.enum(["layer", "override"]) });
export type OnCallShift = z.infer<typeof shift>;
const gap = z.object({ start: instant, end: instant });
export type Gap = z.infer<typeof gap>;
export const shiftsAnswer = success({ shifts: z.array(shift), gaps: z.array(gap), people });
export const previewInput = z.strictObject({ ...scheduleInput.omit({ name: true }).shape, ...shiftsQuery.shape });

export const overrideInput = z.strictObject({
  userId: rowId,
  start: instant,
  end: instant.meta({ description: "At most 30 days after the start." }),
});
export const overrideAnswer = success({ override });

export const gapsAnswer = success({
  gaps: z
    .array(z.object({ scheduleId: id, name: z.string(), ...gap.shape }))
    .max(100)
    .meta({ description: "Times of the next seven days at which a schedule has nobody on call, the first ones." }),
  unreachable: z
    .array(z.object({ scheduleId: id, name: z.string(), userId: id, person: z.string() }))
    .default([])
    .meta({ description: "Who is on call now, but has no contacts and no mail, and cannot be notified." }),
});

export const feedQuery = z.strictObject({ token: z.string().min(1).max(100) });
export const feedAnswer = success({ url: z.string() });

export const peopleQuery = z.strictObject({ search: z.string().max(200).optional() });
export const peopleAnswer = success({
  people: z.array(z.object({ id, name: z.string() })).meta({ description: "At most 100 active users, by name." }),
});
