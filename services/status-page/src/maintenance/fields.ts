import { type FieldFault, invalid } from "@sonde/kit/errors";
import type { MaintenanceFields } from "@sonde/proto/gen/status/v1/status";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { maintenanceInput, maintenancePatch } from "@sonde/proto/http/status/maintenance";
import type { z } from "zod";
import { readRule, type Rule, ruleText } from "./rule.ts";
import { dayMs, longestMs, overlaps, type Schedule } from "./schedule.ts";
import type { WindowFields } from "./window.ts";

const longestDays = longestMs / dayMs;
export const mostTargets = 500;
const furthestDays = 400;

/** Those of a window that is made; what may be left out has its default. @throws AppError invalid */
export function newFields(given: MaintenanceFields): WindowFields {
  const {
    start,
    end,
    monitors,
    agents,
    note = "",
    rrule = "",
    public: isPublic,
    ...rest
  } = read(maintenanceInput, given);
  return {
    ...rest,
    note,
    isPublic,
    monitorIds: monitors,
    agentIds: agents,
    rrule: ruleText(rrule),
    startMs: Date.parse(start),
    endMs: Date.parse(end),
  };
}

/** The fields of a window after a change; absent ones are unchanged. @throws AppError invalid */
export function changedFields(before: WindowFields, given: MaintenanceFields, types: readonly string[]): WindowFields {
  const patch = read(maintenancePatch, given);
  const isGiven = (type: string) => given.targets !== undefined && (types.length === 0 || types.includes(type));
  return {
    name: patch.name ?? before.name,
    note: patch.note ?? before.note,
    monitorIds: (isGiven("monitor") ? patch.monitors : undefined) ?? before.monitorIds,
    agentIds: (isGiven("agent") ? patch.agents : undefined) ?? before.agentIds,
    startMs: patch.start === undefined ? before.startMs : Date.parse(patch.start),
    endMs: patch.end === undefined ? before.endMs : Date.parse(patch.end),
    timeZone: patch.timeZone ?? before.timeZone,
    rrule: patch.rrule === undefined ? before.rrule : ruleText(patch.rrule),
    isPublic: patch.public ?? before.isPublic,
  };
}

/**
 * When a window happens, validated.
 * @param before its stored schedule, whose start may be in the past; null: it is new
 * @throws AppError invalid: it ends before it starts, is too long or too far away, its occurrences overlap, its rule is
 * malformed
 */
export function checkSchedule(fields: WindowFields, before: WindowFields | null, nowMs: number): Schedule {
  const { startMs, endMs, timeZone, rrule } = fields;
  const schedule: Schedule = { startMs, endMs, timeZone, rule: readRule(rrule) };
  const faults: FieldFault[] = [];
  if (endMs <= startMs) faults.push({ path: "end", message: "The end must be after the start" });
  if (endMs - startMs > longestMs) {
    faults.push({ path: "end", message: "It may last {days} days at most", params: { days: longestDays } });
  }
  const farMs = furthestDays * dayMs;
  if (startMs > nowMs + farMs) {
    faults.push({
      path: "start",
      message: "It may start {days} days from now at most",
      params: { days: furthestDays },
    });
  }
  if (startMs < nowMs - farMs && startMs !== before?.startMs) {
    faults.push({
      path: "start",
      message: "It may have started {days} days ago at most",
      params: { days: furthestDays },
    });
  }
  if (faults.length === 0 && endsBefore(schedule.rule, schedule)) {
    faults.push({ path: "rrule", message: "The recurrence ends before the start" });
  }
  if (faults.length === 0 && overlaps(schedule)) {
    faults.push({ path: "end", message: "It would begin again before it ended" });
  }
  if (faults.length > 0) throw invalid(faults);
  return schedule;
}

/** At least one target, and no more than every occurrence can contain. @throws AppError invalid */
export function checkTargetCount({ monitorIds, agentIds }: WindowFields): void {
  const count = monitorIds.length + agentIds.length;
  if (count === 0) throw invalid([{ path: "monitors", message: "Choose at least one monitor or agent" }]);
  if (count <= mostTargets) return;
  throw invalid([{ path: "monitors", message: "Too many entries (at most {max})", params: { max: mostTargets } }]);
}

function endsBefore(rule: Rule | null, { startMs, timeZone }: Schedule): boolean {
  if (rule?.until === undefined) return false;
  const { wall, isUtc } = rule.until;
  return wall.toZonedDateTime(isUtc ? "UTC" : timeZone).epochMilliseconds < startMs;
}

/** By the schema that the public API has too. */
function read<Schema extends z.ZodType>(schema: Schema, given: MaintenanceFields): z.output<Schema> {
  const ids = (type: string) => given.targets?.values.filter((target) => target.type === type).map(({ id }) => id);
  const parsed = schema.safeParse(
    withoutUndefined({
      name: given.name,
      note: given.note,
      monitors: ids("monitor"),
      agents: ids("agent"),
      start: instant(given.startMs),
      end: instant(given.endMs),
      timeZone: given.timeZone,
      rrule: given.rrule,
      public: given.public,
    }),
  );
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues));
  return parsed.data;
}

/** Invalid instants are left for the schema to refuse. */
const instant = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);

const withoutUndefined = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
