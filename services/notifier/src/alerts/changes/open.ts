import type { Database } from "@sonde/kit/postgres/database";
import { type IncidentChange, updated } from "./change.ts";
import { decideNews, decideSteady } from "../decide.ts";
import type { DecisionContext } from "../deciding.ts";
import type { NotifiedIncident } from "../incident.ts";
import { insertIncidents, lockIncidents, updateIncidents } from "../incident-store.ts";
import { recordVerdicts } from "../record-verdicts.ts";
import { lookAt, maintenanceUntil, type IncidentsView } from "../view.ts";
import { decidedMoments, endDeferred } from "../decision-store.ts";
import type { AlertMoment } from "../moment.ts";

/** Opens incidents and decides which channels to notify. Known ones have no effect. Returns how many were new. */
export async function open(trx: Database, deps: DecisionContext, run: readonly IncidentChange[]): Promise<number> {
  const known = await lockIncidents(
    trx,
    run.map(({ incident }) => incident.id),
  );
  const fresh = run.flatMap(({ incident }) => (known.has(incident.id) ? [] : [incident]));
  if (fresh.length > 0) await announce(trx, deps, fresh);
  return fresh.length;
}

/** Adds open incidents that no channel was notified of yet. */
export async function announce(
  trx: Database,
  deps: DecisionContext,
  given: readonly NotifiedIncident[],
): Promise<void> {
  const incidents = given.map((incident) => ({ ...incident, closedAtMs: undefined, resolution: undefined }));
  await insertIncidents(trx, incidents);
  const view = await lookAt(trx, deps, incidents);
  const nowMs = deps.clock.now();
  const verdicts = incidents.map((incident) => ({
    incident,
    moment: "opened" as const,
    facts: view.factsOf(incident, "opened"),
    decisions: decideNews({
      ...view.question(incident),
      maintenanceUntilMs: deferredUntil(deps, view, incident),
      parentIncidentId: view.parentOf(incident),
    }),
  }));
  await recordVerdicts(trx, view, verdicts, nowMs);
}

/** Events from before the consumer started arrive within this time, one after the other. */
export const lateMs = 10_000;

/**
 * Until when maintenance defers the opening of an incident. One that opened in maintenance may already be over when
 * maintenance ends, with its closing on the way: a short delay waits for that.
 */
function deferredUntil(
  { maintenance }: DecisionContext,
  view: IncidentsView,
  { target, openedAtMs }: NotifiedIncident,
): number | null {
  const untilMs = maintenanceUntil(maintenance, target, view.nowMs);
  if (untilMs !== null) return untilMs;
  return maintenanceUntil(maintenance, target, openedAtMs) === null ? null : view.nowMs + lateMs;
}

/**
 * Records that targets of open incidents started or stopped flapping. Known changes have no effect, nor has one of an
 * incident that is not open here: the next comparison with its producer repeats it after the opening. Returns how many
 * were new.
 */
export async function flap(
  trx: Database,
  deps: DecisionContext,
  name: "flapping" | "steady",
  run: readonly IncidentChange[],
): Promise<number> {
  const moments = run.map((change) => ({ change, incidentId: change.incident.id, moment: momentOf(name, change) }));
  const decided = await decidedMoments(trx, moments);
  const known = await lockIncidents(
    trx,
    moments.map(({ incidentId }) => incidentId),
  );
  const fresh = moments.flatMap(({ change, incidentId, moment }) => {
    const before = known.get(incidentId);
    if (before === undefined || before.closedAtMs !== undefined || decided.has(`${incidentId} ${moment}`)) return [];
    return [{ moment, incident: { ...updated(before, change), closedAtMs: undefined, resolution: undefined } }];
  });
  if (fresh.length === 0) return 0;
  const incidents = fresh.map(({ incident }) => incident);
  await updateIncidents(trx, incidents);
  const nowMs = deps.clock.now();
  const ids = incidents.map(({ id }) => id);
  // Either is over with the other.
  await endDeferred(trx, ids, nowMs, name === "steady" ? "flapping" : "steady");
  const view = await lookAt(trx, deps, incidents);
  const decide = name === "steady" ? decideSteady : decideNews;
  const verdicts = fresh.map(({ incident, moment }) => ({
    incident,
    moment,
    facts: view.factsOf(incident, name),
    decisions: decide({ ...view.question(incident), parentIncidentId: view.parentOf(incident) }),
  }));
  await recordVerdicts(trx, view, verdicts, nowMs);
  return fresh.length;
}

const momentOf = (name: "flapping" | "steady", { atMs }: IncidentChange): AlertMoment => `${name}:${Math.round(atMs)}`;
