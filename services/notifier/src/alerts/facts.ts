import type { AlertFacts } from "./alert.ts";
import type { Graph } from "./dependencies.ts";
import type { NotifiedIncident } from "./incident.ts";
import { alertKindOf, type MomentName } from "./moment.ts";

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
