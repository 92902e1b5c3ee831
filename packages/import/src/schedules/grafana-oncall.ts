import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { everyOf, hoursDaily, hoursWeekly, joinDays, startOf } from "./hours.ts";
import { textOf } from "../formats/texts.ts";
import {
  type Fields,
  fieldsOf,
  type ImportedLayer,
  type ImportedSchedule,
  listOf,
  numberOf,
  weekdayOf,
} from "./shapes.ts";

/**
 * Reads the lists of Grafana OnCall's API (https://grafana.com/docs/oncall/latest/oncall-api-reference/):
 * `{ schedules, on_call_shifts, users }`, each with its `results`. Shifts of a higher level have precedence.
 */
export function readGrafanaOnCall(data: unknown): ImportedSchedule[] {
  const { schedules, on_call_shifts: shifts, users } = fieldsOf(data);
  const results = (list: unknown) => listOf(fieldsOf(list)["results"] ?? list);
  const names = new Map(
    results(users).map((user) => [textOf(user["id"]), textOf(user["email"]) || textOf(user["username"])]),
  );
  const shiftsById = new Map(results(shifts).map((shift) => [textOf(shift["id"]), shift]));
  return results(schedules).map((schedule) => {
    const notes: TranslatableText[] = [];
    const zone = textOf(schedule["time_zone"]) || "UTC";
    const ids: unknown[] = Array.isArray(schedule["shifts"]) ? schedule["shifts"] : [];
    const own = ids.map((id) => shiftsById.get(textOf(id))).filter((shift) => shift !== undefined);
    const layers = own
      .toSorted((one, other) => numberOf(one["level"]) - numberOf(other["level"]))
      .flatMap((shift) => readShift(shift, zone, names, notes));
    if (textOf(schedule["type"]) === "ical") notes.push({ text: "Its shifts are in a calendar: import that calendar" });
    return { name: textOf(schedule["name"]), timeZone: zone, layers, overrides: [], notes };
  });
}

const unitSeconds: Readonly<Record<string, number>> = { hourly: 3_600, daily: 86_400, weekly: 604_800 };

function readShift(
  shift: Fields,
  timeZone: string,
  names: ReadonlyMap<string, string>,
  notes: TranslatableText[],
): ImportedLayer[] {
  const name = textOf(shift["name"]);
  if (Date.parse(textOf(shift["until"])) < Date.now()) return [];
  const groups: unknown[] = Array.isArray(shift["rolling_users"]) ? shift["rolling_users"] : [shift["users"]];
  const index = numberOf(shift["start_rotation_from_user_index"]);
  const turns = [...groups.slice(index), ...groups.slice(0, index)].map((group) => (Array.isArray(group) ? group : []));
  if (turns.some((group) => group.length > 1)) {
    notes.push({ text: "Rotation {name}: only the first person of each turn is imported", params: { name } });
  }
  const members = turns.flatMap(([id]) => names.get(textOf(id)) ?? (id === undefined ? [] : [textOf(id)]));
  const unit = unitSeconds[textOf(shift["frequency"])] ?? 0;
  const every = everyOf(unit * (numberOf(shift["interval"]) || 1));
  const own = textOf(shift["time_zone"]) || timeZone;
  const first = startOf(textOf(shift["start"]), timeZone, { n: 1, unit: "week" }, own);
  const start = every && startOf(textOf(shift["rotation_start"]) || textOf(shift["start"]), timeZone, every, own);
  if (every === null || start === null || first === null || members.length === 0) {
    notes.push({ text: "Rotation {name} cannot be read", params: { name } });
    return [];
  }
  const minutes = Math.floor(numberOf(shift["duration"]) / 60);
  const isWhole = minutes * 60 >= unit * every.n || minutes === 0;
  // A local day of the shift's zone may be the day before or after in the schedule's.
  const moved =
    (first.handoff.weekday ?? 0) - (startOf(textOf(shift["start"]), own, { n: 1, unit: "week" })?.handoff.weekday ?? 0);
  const days = weekdaysOf(shift["by_day"]).map((day) => ((day - 1 + moved + 7) % 7) + 1);
  const only = isWhole ? [] : hoursOf(first, days, minutes, unit);
  return [{ members, every, ...start, ...(only.length > 0 && { only }) }];
}

const weekdaysOf = (days: unknown): number[] =>
  (Array.isArray(days) ? days : []).map(weekdayOf).filter((day) => day > 0);

/** Hours from `handoff`, which has a weekday, on the given days, or every week or day. */
function hoursOf(
  { handoff: { weekday = 1, time } }: Pick<ImportedLayer, "handoff">,
  days: number[],
  minutes: number,
  unit: number,
): NonNullable<ImportedLayer["only"]> {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const start = hour * 60 + minute;
  if (days.length === 0 && unit < unitSeconds["weekly"]!) return hoursDaily(start, minutes);
  const starts = days.length > 0 ? days : [weekday];
  return joinDays(starts.flatMap((day) => hoursWeekly((day - 1) * 1_440 + start, minutes)));
}
