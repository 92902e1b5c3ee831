import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { oneOf } from "@sonde/kit/one-of";
import {
  type Incident as IncidentMessage,
  type TargetFacts,
  TargetFactsSchema,
} from "@sonde/proto/gen/events/v1/events";
import {
  type IncidentKind,
  incidentKinds,
  type IncidentResolution,
  incidentResolutions,
} from "@sonde/proto/http/incidents/incidents";
import { type TargetRef, type TargetType, targetTypes } from "@sonde/proto/http/monitors/targets";
import type { Database } from "@sonde/kit/postgres/database";
import type { AlertKind } from "@sonde/proto/http/incidents/alerts";

/** An incident as its events reported it. Instants are epoch milliseconds. */
export type NotifiedIncident = {
  id: string;
  target: { type: TargetType; id: number; name: string };
  kind: IncidentKind;
  metric?: string;
  cause: string;
  openedAtMs: number;
  closedAtMs?: number;
  resolution?: IncidentResolution;
  flaps: number;
  facts: TargetFacts;
  acknowledgedAtMs?: number;
  acknowledgedBy: readonly string[];
  /** Until then only the closing is sent. May be in the past. */
  snoozedUntilMs?: number;
  /** Revision of acknowledgement and snooze; a greater one is newer. 0 from versions that sent no revision. */
  revision: number;
  reminders: number;
  /** Only for drills, which no producer knows. `target`: `user:4`, `policy:2` or `channel:1`. */
  drill?: { id: number; target: string } | undefined;
};

export type NotifiedIncidentRow = Pick<
  NotifiedIncident,
  "id" | "kind" | "cause" | "openedAtMs" | "flaps" | "revision" | "reminders" | "acknowledgedBy"
> & {
  targetType: TargetType;
  targetId: number;
  targetName: string;
  metric: string;
  closedAtMs: number | null;
  resolution: IncidentResolution | null;
  facts: JsonValue;
  acknowledgedAtMs: number | null;
  snoozedUntilMs: number | null;
  drillId: number | null;
  drillTarget: string | null;
};

export const idsOf = (incidents: readonly { id: string }[]): string[] => incidents.map(({ id }) => id);

const readKind = oneOf(incidentKinds, "incident kind");
const readResolution = oneOf(incidentResolutions, "resolution");
const readType = oneOf(targetTypes, "target type");

/** Returns the key of a target in columns and lists: `monitor:12`. */
export const targetKey = ({ type, id }: { type: string; id: number }): string => `${type}:${id}`;

const isOfLocation = ({ kind, metric }: NotifiedIncident) => kind === "stale" && metric !== undefined;

/** The incident of a silent location concerns all monitors, so it follows no single monitor's settings and tags. */
export const followedTarget = (incident: NotifiedIncident): TargetRef =>
  isOfLocation(incident) ? { type: incident.target.type, id: 0 } : incident.target;

export const followedTags = (incident: NotifiedIncident): readonly string[] =>
  isOfLocation(incident) ? [] : incident.facts.tags;

/** A service level excludes the maintenance of its targets, and may have others. */
export const ignoresMaintenance = ({ kind, drill }: NotifiedIncident): boolean => kind === "slo" || drill !== undefined;

/** Reads an incident from its event. @throws TypeError without an id, or with an unknown kind, resolution or target */
export function fromEvent(given: IncidentMessage, facts: TargetFacts | undefined): NotifiedIncident {
  if (given.id === "") throw new TypeError("incident without id");
  return {
    id: given.id,
    target: { type: readType(given.targetType), id: given.targetId, name: given.targetName },
    kind: readKind(given.kind),
    metric: given.metric || undefined,
    cause: given.cause,
    openedAtMs: wholeMs(given.openedAtMs),
    closedAtMs: given.closedAtMs === undefined ? undefined : wholeMs(given.closedAtMs),
    resolution: given.resolution ? readResolution(given.resolution) : undefined,
    flaps: given.flaps,
    facts: facts ?? create(TargetFactsSchema),
    acknowledgedAtMs: given.acknowledgedAtMs === undefined ? undefined : wholeMs(given.acknowledgedAtMs),
    // Producers of the previous version send only the last one.
    acknowledgedBy: given.acknowledgers.length > 0 ? given.acknowledgers : [given.acknowledgedBy ?? []].flat(),
    snoozedUntilMs: given.snoozedUntilMs === undefined ? undefined : wholeMs(given.snoozedUntilMs),
    revision: given.revision,
    reminders: 0,
  };
}

/** Rounds to whole milliseconds, for integer columns. @throws TypeError for an invalid instant */
function wholeMs(given: number): number {
  if (!Number.isSafeInteger(Math.round(given))) throw new TypeError(`invalid instant: ${given}`);
  return Math.round(given);
}

export function fromRow(row: NotifiedIncidentRow): NotifiedIncident {
  return {
    id: row.id,
    target: { type: row.targetType, id: row.targetId, name: row.targetName },
    kind: row.kind,
    metric: row.metric || undefined,
    cause: row.cause,
    openedAtMs: row.openedAtMs,
    closedAtMs: row.closedAtMs ?? undefined,
    resolution: row.resolution ?? undefined,
    flaps: row.flaps,
    facts: fromJson(TargetFactsSchema, row.facts, { ignoreUnknownFields: true }),
    acknowledgedAtMs: row.acknowledgedAtMs ?? undefined,
    acknowledgedBy: row.acknowledgedBy,
    snoozedUntilMs: row.snoozedUntilMs ?? undefined,
    revision: row.revision,
    reminders: row.reminders,
    drill: row.drillId === null ? undefined : { id: row.drillId, target: row.drillTarget ?? "" },
  };
}

const toRow = ({ facts, target, drill, ...incident }: NotifiedIncident) => ({
  ...incident,
  drillId: drill?.id,
  drillTarget: drill?.target,
  targetType: target.type,
  targetId: target.id,
  targetName: target.name,
  facts: toJson(TargetFactsSchema, facts),
  dependsOn: facts.dependsOn.map(targetKey),
  hosts: hostsOf(facts),
});

export const hostsOf = ({ hosts }: TargetFacts): string[] => [...new Set(hosts.map((host) => host.toLowerCase()))];

export async function lockIncidents(trx: Database, ids: readonly string[]): Promise<Map<string, NotifiedIncident>> {
  const rows = await trx("incidents")
    .whereRaw("id = any(?)", [[...ids]])
    .orderBy("id")
    .forUpdate()
    .select<NotifiedIncidentRow[]>();
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

export async function insertIncidents(trx: Database, incidents: readonly NotifiedIncident[]): Promise<void> {
  await trx("incidents").insert(incidents.map(toRow));
}

const changing = [
  "targetName",
  "cause",
  "closedAtMs",
  "resolution",
  "flaps",
  "facts",
  "dependsOn",
  "hosts",
  "acknowledgedAtMs",
  "acknowledgedBy",
  "snoozedUntilMs",
  "revision",
  "reminders",
];

/** Stores newer states of incidents. Closed and acknowledged incidents have no next reminder. */
export async function updateIncidents(trx: Database, incidents: readonly NotifiedIncident[]): Promise<void> {
  if (incidents.length === 0) return;
  await trx("incidents").insert(incidents.map(toRow)).onConflict("id").merge(changing);
  await trx.raw(
    `update incidents set reminder_due_at_ms = null
     where id = any(?) and (closed_at_ms is not null or acknowledged_at_ms is not null)`,
    [idsOf(incidents)],
  );
}

export async function planReminders(
  trx: Database,
  plans: readonly { id: string; due: number | null }[],
): Promise<void> {
  await trx.raw(
    `update incidents set reminder_due_at_ms = plan.due
     from jsonb_to_recordset(?::jsonb) as plan (id text, due bigint)
     where incidents.id = plan.id and closed_at_ms is null and acknowledged_at_ms is null`,
    [JSON.stringify(plans)],
  );
}

export async function dueReminders(trx: Database, nowMs: number, limit: number): Promise<string[]> {
  return trx("incidents")
    .where("reminder_due_at_ms", "<=", nowMs)
    .orderBy("reminder_due_at_ms")
    .limit(limit)
    .pluck<string[]>("id");
}

export const momentNames = ["opened", "closed", "flapping", "steady", "reminder", "step"] as const;
export type MomentName = (typeof momentNames)[number];
/**
 * `opened`, `closed`, `reminder:3` and `step:<repeat>.<step>` alert once each; `flapping` and `steady` have their
 * decision time.
 */
export type AlertMoment =
  | "opened"
  | "closed"
  | `${"flapping" | "steady" | "reminder"}:${number}`
  | `step:${number}.${number}`;

const readName = oneOf(momentNames, "moment");

/** @returns `step`: counts from 1; 0 for other moments @throws TypeError for an unknown moment */
export function readMoment(moment: string): { name: MomentName; number: number; step: number } {
  const [name = "", number = "0"] = moment.split(":");
  const [first, index] = number.split(".");
  return { name: readName(name), number: Number(first), step: index === undefined ? 0 : Number(index) + 1 };
}

const kinds: Readonly<Record<IncidentKind, { opened: AlertKind; closed: AlertKind }>> = {
  down: { opened: "down", closed: "recovery" },
  offline: { opened: "offline", closed: "online" },
  threshold: { opened: "threshold", closed: "cleared" },
  stale: { opened: "stale", closed: "fresh" },
  partial: { opened: "partial", closed: "whole" },
  slow: { opened: "slow", closed: "fast" },
  external: { opened: "external", closed: "resolved" },
  slo: { opened: "burning", closed: "calm" },
};

/** Returns the kind of an alert. Reminders and steps have the kind of the opening. */
export function alertKindOf(kind: IncidentKind, name: MomentName): AlertKind {
  if (name === "flapping" || name === "steady") return name;
  return kinds[kind][name === "closed" ? "closed" : "opened"];
}

export const ofIncident = ["target", "metric", "cause", "openedAtMs", "closedAtMs", "resolution", "flaps"] as const;
export const ofTarget = [
  "tags",
  "locations",
  "note",
  "responseTimeMs",
  "statusCode",
  "expectedStatus",
  "hostname",
  "ipAddresses",
  "os",
  "value",
  "threshold",
] as const;
/** Missing in alerts of previous versions. */
export const ofSource = ["severity", "link", "labels", "serviceLevel"] as const;

/** At the time of the decision. Messages use only these, so they are the same whenever they are rendered. */
export type AlertFacts = Pick<NotifiedIncident, (typeof ofIncident)[number]> &
  Pick<TargetFacts, (typeof ofTarget)[number]> &
  Partial<Pick<TargetFacts, (typeof ofSource)[number]>> & {
    kind: AlertKind;
    incidentId: string;
    incidentKind: IncidentKind;
    atMs: number;
    /** Time zone for times in messages: that of the quiet hours, or UTC. */
    timeZone?: string;
    /** Counts from 1; 0 for other alerts. */
    reminder: number;
    /** The step of an escalation policy, counted from 1. */
    step?: { policy: string; number: number; by?: string; note?: string } | undefined;
    dependents: { names: readonly string[]; count: number };
    /** Only for drills. */
    drill?: { acknowledgedBy: readonly string[] } | undefined;
    /** The monitor's address, for lists. */
    address: string;
    /** The target's response body. Never stored here; only read if a template uses it. */
    evidenceBody?: string | undefined;
  };
