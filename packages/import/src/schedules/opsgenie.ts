import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { hoursDaily, hoursWeekly, joinDays, startOf } from "./hours.ts";
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
 * Reads Opsgenie's `GET /v2/schedules?expand=rotation` (https://docs.opsgenie.com/docs/schedule-api). Its rotations
 * apply side by side; here the later one wins where two overlap.
 */
export function readOpsgenie(data: unknown): ImportedSchedule[] {
  return listOf(fieldsOf(data)["data"]).map((schedule) => {
    const timeZone = textOf(schedule["timezone"]) || "UTC";
    const notes: TranslatableText[] = [];
    const rotations = listOf(schedule["rotations"]);
    if (rotations.length > 1) notes.push({ text: "Where rotations overlap, the later one is on call" });
    const layers = rotations.flatMap((rotation) => readRotation(rotation, timeZone, notes));
    return { name: textOf(schedule["name"]), timeZone, layers, overrides: [], notes };
  });
}

const units: Readonly<Record<string, ImportedLayer["every"]["unit"]>> = {
  hourly: "hour",
  daily: "day",
  weekly: "week",
};

function readRotation(rotation: Fields, timeZone: string, notes: TranslatableText[]): ImportedLayer[] {
  const name = textOf(rotation["name"]);
  const participants = listOf(rotation["participants"]);
  const members = participants.flatMap(({ type, username }) =>
    type === "user" && textOf(username) !== "" ? [textOf(username)] : [],
  );
  if (members.length < participants.length) {
    notes.push({ text: "Rotation {name}: only users are imported, not teams or escalations", params: { name } });
  }
  const unit = units[textOf(rotation["type"])];
  const every = { n: numberOf(rotation["length"]) || 1, unit: unit ?? "day" };
  const start = startOf(textOf(rotation["startDate"]), timeZone, every);
  const isOver = Date.parse(textOf(rotation["endDate"])) < Date.now();
  if (isOver) return [];
  if (unit === undefined || start === null || members.length === 0) {
    notes.push({ text: "Rotation {name} cannot be read", params: { name } });
    return [];
  }
  const only = readRestriction(fieldsOf(rotation["timeRestriction"]));
  return [{ members, every, ...start, ...(only.length > 0 && { only }) }];
}

function readRestriction(restriction: Fields): NonNullable<ImportedLayer["only"]> {
  const spans = [...listOf(restriction["restrictions"]), fieldsOf(restriction["restriction"])];
  const minuteOf = (span: Fields, at: "start" | "end") => numberOf(span[`${at}Hour`]) * 60 + numberOf(span[`${at}Min`]);
  const daily = restriction["type"] === "time-of-day";
  const read = spans.flatMap((span) => {
    if (span["startHour"] === undefined) return [];
    const [start, end] = [minuteOf(span, "start"), minuteOf(span, "end")];
    if (daily) return hoursDaily(start, end > start ? end - start : end - start + 1_440);
    const [from, to] = [weekdayOf(span["startDay"]), weekdayOf(span["endDay"])];
    if (from === 0 || to === 0) return [];
    const minutes = (to - from) * 1_440 + end - start;
    return hoursWeekly((from - 1) * 1_440 + start, minutes > 0 ? minutes : minutes + 10_080);
  });
  return joinDays(read);
}
