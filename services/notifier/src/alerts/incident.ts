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
import { type TargetType, targetTypes } from "@sonde/proto/http/monitors/targets";

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
  /** How often it failed again meanwhile. */
  flaps: number;
  /** From the newest event. */
  facts: TargetFacts;
  acknowledgedAtMs?: number;
  /** How many reminders there were. */
  reminders: number;
};

/** A row of `incidents`. */
export type NotifiedIncidentRow = {
  id: string;
  targetType: TargetType;
  targetId: number;
  targetName: string;
  kind: IncidentKind;
  metric: string;
  cause: string;
  openedAtMs: number;
  closedAtMs: number | null;
  resolution: IncidentResolution | null;
  flaps: number;
  facts: JsonValue;
  /** Of the facts, for searching: `agent:3`. */
  dependsOn: string[];
  hosts: string[];
  acknowledgedAtMs: number | null;
  reminders: number;
};

const readKind = oneOf(incidentKinds, "kind of incident");
const readResolution = oneOf(incidentResolutions, "resolution");
const readType = oneOf(targetTypes, "type of target");

/** `monitor:12`: how a target is named in columns and lists. */
export const targetKey = ({ type, id }: { type: string; id: number }): string => `${type}:${id}`;

/**
 * An incident of an event.
 * @throws TypeError without an id, or with an unknown kind, resolution or target
 */
export function fromEvent(given: IncidentMessage, facts: TargetFacts | undefined): NotifiedIncident {
  if (given.id === "") throw new TypeError("an incident without an id");
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
    reminders: 0,
  };
}

/** A whole number of milliseconds, for columns. @throws TypeError for an invalid instant */
function wholeMs(given: number): number {
  if (!Number.isSafeInteger(Math.round(given))) throw new TypeError(`${given} is no instant`);
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
    reminders: row.reminders,
  };
}

/** The columns of a new row. */
export const toRow = ({ facts, target, ...incident }: NotifiedIncident): NotifiedIncidentRow => ({
  id: incident.id,
  targetType: target.type,
  targetId: target.id,
  targetName: target.name,
  kind: incident.kind,
  metric: incident.metric ?? "",
  cause: incident.cause,
  openedAtMs: incident.openedAtMs,
  closedAtMs: incident.closedAtMs ?? null,
  resolution: incident.resolution ?? null,
  flaps: incident.flaps,
  facts: toJson(TargetFactsSchema, facts),
  dependsOn: facts.dependsOn.map(targetKey),
  hosts: hostsOf(facts),
  acknowledgedAtMs: incident.acknowledgedAtMs ?? null,
  reminders: incident.reminders,
});

/** The machine's names and addresses, in their comparable form. */
const hostsOf = ({ hosts }: TargetFacts): string[] => [...new Set(hosts.map((host) => host.toLowerCase()))];
