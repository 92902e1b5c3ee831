import type { AlertKind } from "@sonde/proto/http/incidents/alerts";
import type { IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Graph } from "./dependencies/dependencies.ts";
import type { NotifiedIncident } from "./incident.ts";
import { alertKindOf, type MomentName } from "./moment.ts";

/**
 * The facts of an alert at the time of its decision: column `facts` of `alerts`. Messages and templates are made of
 * this alone, so that they are the same whenever they are composed.
 */
export type AlertFacts = {
  kind: AlertKind;
  incidentId: string;
  incidentKind: IncidentKind;
  target: { type: TargetType; id: number; name: string };
  /** cpu, memory, disk:<mount point>. */
  metric?: string;
  /** Why it opened. */
  cause: string;
  openedAtMs: number;
  closedAtMs?: number;
  resolution?: IncidentResolution;
  /** How often it failed again meanwhile. */
  flaps: number;
  /** When this was decided. */
  atMs: number;
  /** Time zone of the times in messages: that of the quiet hours; UTC if there are none. */
  timeZone?: string;
  /** Counts reminders from 1; 0: none. */
  reminder: number;
  /** Alerts deferred because this incident is open: the targets that depend on it, and how many there are. */
  dependents: { names: readonly string[]; count: number };
  /** What lists show of a monitor: its address. */
  address: string;
  tags: readonly string[];
  locations: readonly string[];
  note: string;
  responseTimeMs?: number;
  statusCode?: number;
  expectedStatus: string;
  hostname: string;
  ipAddresses: readonly string[];
  os: string;
  /** Percent. */
  value?: number;
  threshold?: number;
};

/** The most dependents that are named; all are counted. */
const mostNames = 50;

/** The facts of an incident's alert at present. `reminder` counts from 1; 0: it is none. */
export function alertFactsOf(
  incident: NotifiedIncident,
  {
    name,
    reminder = 0,
    dependents,
    atMs,
    timeZone,
  }: {
    name: MomentName;
    reminder?: number;
    dependents: AlertFacts["dependents"];
    atMs: number;
    timeZone?: string;
  },
): AlertFacts {
  const { target, ipAddresses, tags, locations, note, responseTimeMs, statusCode, expectedStatus } = incident.facts;
  const { hostname, os, value, threshold } = incident.facts;
  return {
    kind: alertKindOf(incident.kind, name),
    incidentId: incident.id,
    incidentKind: incident.kind,
    target: incident.target,
    metric: incident.metric,
    cause: incident.cause,
    openedAtMs: incident.openedAtMs,
    closedAtMs: incident.closedAtMs,
    resolution: incident.resolution,
    flaps: incident.flaps,
    atMs,
    timeZone,
    reminder,
    dependents,
    address: target,
    tags,
    locations,
    note,
    responseTimeMs,
    statusCode,
    expectedStatus,
    hostname,
    ipAddresses,
    os,
    value,
    threshold,
  };
}

/** The targets whose alerts an incident holds. */
export function dependentsOf(graph: Graph, incidentId: string): AlertFacts["dependents"] {
  const names = new Map(graph.heldBy(incidentId).map(({ target, targetName }) => [target, targetName]));
  return { names: [...names.values()].slice(0, mostNames), count: names.size };
}
