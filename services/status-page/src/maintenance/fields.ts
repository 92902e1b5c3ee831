import { type FieldFault, invalid } from "@sonde/kit/errors";
import { fieldChanges, type FieldChange } from "@sonde/domain/managed/apply";
import type { maintenanceInput, maintenancePatch } from "@sonde/proto/http/status/maintenance";
import type { z } from "zod";
import { targetsOf } from "../collect/targets.ts";
import { aheadMs } from "./plan.ts";
import { readRule, type Rule, ruleText } from "./rule.ts";
import { dayMs, maxMs, occurrenceAt, occurrencesAfter, overlapsItself, type Schedule } from "./schedule.ts";
import type { WindowFields } from "./store.ts";

type MaintenancePatch = z.output<typeof maintenancePatch>;

const maxDays = maxMs / dayMs;
const maxTargets = 500;
const furthestDays = 400;

const unset: WindowFields = {
  name: "",
  note: "",
  monitorIds: [],
  agentIds: [],
  tags: [],
  taggedMonitorIds: [],
  taggedAgentIds: [],
  startMs: 0,
  endMs: 0,
  timeZone: "",
  rrule: "",
  isPublic: true,
  pages: null,
};
export const newFields = (input: z.output<typeof maintenanceInput>): WindowFields => changedFields(unset, input);

/** Keeps the targets of the tags, which `taggedBy` reads. */
export const changedFields = (before: WindowFields, patch: MaintenancePatch): WindowFields => ({
  name: patch.name ?? before.name,
  note: patch.note ?? before.note,
  monitorIds: patch.monitors ?? before.monitorIds,
  agentIds: patch.agents ?? before.agentIds,
  tags: patch.tags ?? before.tags,
  taggedMonitorIds: before.taggedMonitorIds,
  taggedAgentIds: before.taggedAgentIds,
  startMs: patch.start === undefined ? before.startMs : Date.parse(patch.start),
  endMs: patch.end === undefined ? before.endMs : Date.parse(patch.end),
  timeZone: patch.timeZone ?? before.timeZone,
  rrule: patch.rrule === undefined ? before.rrule : ruleText(patch.rrule),
  isPublic: patch.public ?? before.isPublic,
  pages: patch.pages === undefined ? before.pages : patch.pages,
});

/**
 * Validates a window's schedule.
 * @param before the stored fields, whose start may be far in the past; `null` for a new window
 * @throws AppError `invalid` if it ends before it starts, is too long or too far away, its occurrences overlap, or its
 * rule is malformed
 */
export function checkSchedule(fields: WindowFields, before: WindowFields | null, nowMs: number): Schedule {
  const { startMs, endMs, timeZone, rrule } = fields;
  const schedule: Schedule = { startMs, endMs, timeZone, rule: readRule(rrule) };
  const faults: FieldFault[] = [];
  if (endMs <= startMs) faults.push({ path: "end", message: "The end must be after the start" });
  if (endMs - startMs > maxMs) {
    faults.push({ path: "end", message: "The duration can be at most {days} days", params: { days: maxDays } });
  }
  const farMs = furthestDays * dayMs;
  const params = { days: furthestDays };
  if (startMs > nowMs + farMs) {
    faults.push({ path: "start", message: "The start can be at most {days} days from now", params });
  }
  if (startMs < nowMs - farMs && startMs !== before?.startMs) {
    faults.push({ path: "start", message: "The start can be at most {days} days ago", params });
  }
  if (faults.length === 0 && endsBefore(schedule.rule, schedule)) {
    faults.push({ path: "rrule", message: "The recurrence ends before the start" });
  }
  if (faults.length === 0 && overlapsItself(schedule)) {
    faults.push({ path: "end", message: "The next occurrence would start before this one ends" });
  }
  if (faults.length > 0) throw invalid(faults);
  return schedule;
}

/** At least one target or tag, and at most as many as every occurrence can store. @throws AppError `invalid` */
export function checkTargetCount({ monitorIds, agentIds, tags }: WindowFields): void {
  const count = monitorIds.length + agentIds.length;
  if (count + tags.length === 0) {
    throw invalid([{ path: "monitors", message: "Choose at least one monitor, agent or tag" }]);
  }
  if (count <= maxTargets) return;
  throw invalid([{ path: "monitors", message: "Too many entries (maximum {max})", params: { max: maxTargets } }]);
}

function endsBefore(rule: Rule | null, { startMs, timeZone }: Schedule): boolean {
  if (rule?.until === undefined) return false;
  const { wall, isUtc } = rule.until;
  return wall.toZonedDateTime(isUtc ? "UTC" : timeZone).epochMilliseconds < startMs;
}

/** @throws AppError `invalid` if no occurrence is running or follows */
export function requireAhead(schedule: Schedule, nowMs: number): void {
  if (occurrenceAt(schedule, nowMs) ?? occurrencesAfter(schedule, nowMs, nowMs + aheadMs)[0]) return;
  throw invalid([{ path: "end", message: "This time is in the past" }]);
}

/** Returns the fields in which windows differ, as in documents. @param keyOf returns what is shown for a target's id */
export function windowChanges(
  before: WindowFields,
  after: WindowFields,
  keyOf: (type: string, id: number) => string | number = (_type, id) => id,
): FieldChange[] {
  const shown = ({ monitorIds, agentIds, startMs, endMs, isPublic, ...fields }: WindowFields) => ({
    name: fields.name,
    note: fields.note,
    targets: targetsOf(monitorIds, agentIds)
      .map(({ type, id }) => `${type}:${keyOf(type, id)}`)
      .sort(),
    tags: fields.tags.toSorted(),
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    timeZone: fields.timeZone,
    rrule: fields.rrule,
    public: isPublic,
  });
  const both = { before: shown(before), after: shown(after) };
  return fieldChanges(both, both);
}

export const isMoved = (before: WindowFields, after: WindowFields): boolean =>
  (["startMs", "endMs", "timeZone", "rrule"] as const).some((field) => before[field] !== after[field]);
