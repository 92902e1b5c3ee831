import { maintenanceInput, type Maintenance } from "@sonde/proto/http/status/maintenance";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { idsOf, targetFieldOf, targetsOf } from "../../entities/targets/api.ts";
import { schemaErrors, type FormError } from "../../lib/form-errors.ts";
import { ownTimeZone } from "../../lib/format.ts";
import { instantOf, wallTime } from "../../lib/zone-time.ts";
import type { OnPages } from "../../entities/pages/pages-field.tsx";
import { fromRule, noRecurrence, type Recurrence, toRule } from "./recurrence.ts";

/** Form values of a window. Times are wall-clock times in its time zone. */
export type MaintenanceValues = OnPages & {
  name: string;
  note: string;
  targets: TargetRef[];
  tags: string[];
  start: string;
  end: string;
  timeZone: string;
  public: boolean;
  recurrence: Recurrence;
};

export const hourMs = 3_600_000;

export function newValues(nowMs: number): MaintenanceValues {
  const timeZone = ownTimeZone();
  const startMs = Math.ceil(nowMs / hourMs) * hourMs;
  return {
    name: "",
    note: "",
    targets: [],
    tags: [],
    start: wallTime(startMs, timeZone),
    end: wallTime(startMs + hourMs, timeZone),
    timeZone,
    public: true,
    recurrence: noRecurrence,
  };
}

export function toValues(window: Maintenance): MaintenanceValues {
  const { timeZone } = window;
  const start = wallTime(Date.parse(window.start), timeZone);
  return {
    name: window.name,
    note: window.note ?? "",
    targets: targetsOf(window),
    tags: window.tags,
    start,
    end: wallTime(Date.parse(window.end), timeZone),
    timeZone,
    public: window.public,
    ...(window.pages !== undefined && { pages: window.pages }),
    recurrence: fromRule(window.rrule ?? "", start),
  };
}

/**
 * Converts form values to the request. Unchanged times are sent exactly as stored, because the form shows no seconds
 * and cannot tell the two hours apart when clocks are set back. The same applies to a rule with its days in another
 * order.
 * @param before the stored window
 */
export function toInput(values: MaintenanceValues, before?: Maintenance) {
  const { name, note, targets, tags, timeZone, recurrence } = values;
  const time = (part: "start" | "end") => {
    const isSame = before?.timeZone === timeZone && wallTime(Date.parse(before[part]), timeZone) === values[part];
    if (isSame) return before[part];
    const ms = instantOf(values[part], timeZone);
    return ms === null ? "" : new Date(ms).toISOString();
  };
  const ruleIn = () => {
    const rule = toRule(recurrence, values.start);
    const known = before?.rrule ?? "";
    return toRule(fromRule(known, values.start), values.start) === rule ? known : rule;
  };
  return {
    name: name.trim(),
    note,
    ...idsOf(targets),
    tags,
    start: time("start"),
    end: time("end"),
    timeZone,
    rrule: ruleIn(),
    public: values.public,
    ...(values.pages !== undefined && { pages: values.pages }),
  };
}

export const fields = ["name", "note", "targets", "tags", "start", "end", "timeZone", "recurrence", "public"] as const;

export const fieldOf = (path: string) => (path === "rrule" ? "recurrence" : targetFieldOf(path));

export function checkValues(values: MaintenanceValues): FormError[] {
  const input = toInput(values);
  const missing = (["start", "end"] as const).filter((part) => input[part] === "");
  const { ending, count, until, repeat } = values.recurrence;
  const ends = repeat !== "once" && repeat !== "custom";
  return [
    ...missing.map((path) => ({ path, message: "This field is required" as const })),
    ...schemaErrors(maintenanceInput, input)
      .filter(({ path }) => !missing.some((part) => part === path))
      .map((error) => ({ ...error, path: fieldOf(error.path) })),
    ...(values.targets.length + values.tags.length === 0
      ? [{ path: "targets", message: "Choose at least one monitor, agent or tag" as const }]
      : []),
    ...(missing.length === 0 && input.end <= input.start
      ? [{ path: "end", message: "The end must be after the start" as const }]
      : []),
    ...(repeat === "custom" && input.rrule === ""
      ? [{ path: "recurrence", message: "Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates" as const }]
      : []),
    ...(ends && ending === "count" && !/^\s*[1-9]\d{0,3}\s*$/.test(count)
      ? [{ path: "recurrence", message: "Please enter a whole number" as const }]
      : []),
    ...(ends && ending === "until" && until === ""
      ? [{ path: "recurrence", message: "This field is required" as const }]
      : []),
  ];
}
