import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { everyOf, hoursDaily, hoursWeekly, joinDays, startOf } from "./hours.ts";
import { textOf } from "../formats/texts.ts";
import { type Fields, fieldsOf, type ImportedLayer, type ImportedSchedule, listOf, numberOf } from "./shapes.ts";

/**
 * Reads PagerDuty's `GET /schedules/{id}?include[]=users`, or a list of such responses
 * (https://developer.pagerduty.com/api-reference/). The first of its layers has precedence.
 */
export function readPagerDuty(data: unknown): ImportedSchedule[] {
  const schedules = (Array.isArray(data) ? data : [data]).map((one) => fieldsOf(fieldsOf(one)["schedule"]));
  return schedules.map((schedule) => {
    const timeZone = textOf(schedule["time_zone"]) || "UTC";
    const notes: TranslatableText[] = [];
    const layers = listOf(schedule["schedule_layers"]).toReversed();
    return {
      name: textOf(schedule["name"]),
      timeZone,
      layers: layers.flatMap((one) => readLayer(one, timeZone, notes)),
      overrides: [],
      notes,
    };
  });
}

function readLayer(layer: Fields, timeZone: string, notes: TranslatableText[]): ImportedLayer[] {
  if (Date.parse(textOf(layer["end"])) < Date.now()) return [];
  const name = textOf(layer["name"]);
  const members = listOf(layer["users"]).flatMap(({ user }) => {
    const { email, summary } = fieldsOf(user);
    const member = textOf(email) || textOf(summary);
    return member === "" ? [] : [member];
  });
  const every = everyOf(numberOf(layer["rotation_turn_length_seconds"]));
  const start = every && startOf(textOf(layer["rotation_virtual_start"]), timeZone, every);
  if (every === null || start === null || members.length === 0) {
    notes.push({ text: "Rotation {name} cannot be read", params: { name } });
    return [];
  }
  const only = joinDays(listOf(layer["restrictions"]).flatMap(readRestriction));
  return [{ members, every, ...start, ...(only.length > 0 && { only }) }];
}

function readRestriction(restriction: Fields): NonNullable<ImportedLayer["only"]> {
  const [hours = 0, minutes = 0] = textOf(restriction["start_time_of_day"]).split(":").map(Number);
  const start = hours * 60 + minutes;
  const length = Math.floor(numberOf(restriction["duration_seconds"]) / 60);
  const weekday = numberOf(restriction["start_day_of_week"]);
  return weekday > 0 ? hoursWeekly((weekday - 1) * 1_440 + start, length) : hoursDaily(start, length);
}
