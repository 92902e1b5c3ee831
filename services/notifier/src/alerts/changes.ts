import type { Database } from "@sonde/kit/postgres/database";
import { decideClosing, decideNews, decideSteady } from "./decide.ts";
import { deciding, type DecisionContext } from "./deciding.ts";
import {
  decidedMoments,
  dropDeferredReminders,
  endDeferred,
  moveSnoozed,
  recordVerdicts,
  releaseDeferredBy,
  resumeReminders,
} from "./decisions.ts";
import { finishEscalations, resumeEscalations, startEscalations, stopEscalations } from "../on-call/escalations.ts";
import { type IncidentsView, loadIncidentsView, maintenanceUntil } from "./facts.ts";
import { type ChangeName, recordChanges } from "./incident-changes.ts";
import {
  followedTarget,
  idsOf,
  ignoresMaintenance,
  insertIncidents,
  lockIncidents,
  type NotifiedIncident,
  updateIncidents,
} from "./incident.ts";

/** Applies changes in order, in one transaction. Returns how many were new; repeated ones have no effect. */
export async function applyChanges(deps: DecisionContext, changes: readonly IncidentChange[]): Promise<number> {
  const fresh = await deciding(deps.db, (trx) => applyWithin(trx, deps, changes));
  if (fresh > 0) deps.due();
  return fresh;
}

/** As above, in a transaction of `deciding`. Wake the sender (`deps.due`) after the commit. */
export async function applyWithin(
  trx: Database,
  deps: DecisionContext,
  changes: readonly IncidentChange[],
): Promise<number> {
  let count = 0;
  for (const run of runsOf(changes)) {
    const known = await lockIncidents(trx, idsOf(run.changes.map(({ incident }) => incident)));
    count += await applyRun(trx, deps, run, known);
  }
  return count;
}

export type IncidentChange = {
  name: ChangeName;
  incident: NotifiedIncident;
  hasFacts: boolean;
  /** No alerts are sent, because a user paused, edited or deleted the target. */
  quiet: boolean;
  /** Epoch milliseconds. Together with the name, distinguishes a second flapping from the first. */
  atMs: number;
};

function updated(known: NotifiedIncident, { incident, hasFacts }: IncidentChange): NotifiedIncident {
  return {
    ...incident,
    facts: hasFacts ? incident.facts : known.facts,
    // These have their own events, and an event from before such a change may arrive after it.
    acknowledgedAtMs: known.acknowledgedAtMs,
    acknowledgedBy: known.acknowledgedBy,
    snoozedUntilMs: known.snoozedUntilMs,
    revision: known.revision,
    reminders: known.reminders,
  };
}

/** Changes of different incidents with the same name. They can affect each other only through dependencies. */
type Run = { name: ChangeName; changes: IncidentChange[] };
/** Incidents by id. Those that a run changes are locked. */
type IncidentsById = ReadonlyMap<string, NotifiedIncident>;

function runsOf(changes: readonly IncidentChange[]): Run[] {
  const runs: Run[] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    const isNext = run?.changes.every(({ incident }) => incident.id !== change.incident.id) ?? false;
    if (run?.name === change.name && isNext) run.changes.push(change);
    else runs.push({ name: change.name, changes: [change] });
  }
  return runs;
}

function applyRun(trx: Database, deps: DecisionContext, { name, changes }: Run, known: IncidentsById): Promise<number> {
  switch (name) {
    case "opened":
      return open(trx, deps, changes, known);
    case "closed":
      return close(trx, deps, changes, known);
    case "acknowledged":
    case "unacknowledged":
    case "snoozed":
      return follow(trx, deps, changes, known);
    case "flapping":
    case "steady":
      return flap(trx, deps, name, changes, known);
  }
}

async function open(trx: Database, deps: DecisionContext, changes: readonly IncidentChange[], known: IncidentsById) {
  const fresh = changes.flatMap(({ incident }) => (known.has(incident.id) ? [] : [incident]));
  if (fresh.length > 0) await announce(trx, deps, fresh);
  return fresh.length;
}

async function announce(trx: Database, deps: DecisionContext, given: readonly NotifiedIncident[]): Promise<void> {
  const incidents = given.map((incident) => ({ ...incident, closedAtMs: undefined, resolution: undefined }));
  await insertIncidents(trx, incidents);
  const view = await loadIncidentsView(trx, deps, incidents);
  await recordChanges(
    trx,
    "opened",
    view.nowMs,
    incidents.map((incident) => ({ incident })),
  );
  const opened = incidents.map((incident) => ({
    incident,
    input: { ...view.inputFor(incident), maintenanceUntilMs: deferredUntil(deps.maintenance, view, incident) },
  }));
  const verdicts = opened.map(({ incident, input }) => ({
    incident,
    moment: "opened" as const,
    decisions: decideNews(input),
  }));
  await recordVerdicts(trx, view, verdicts);
  await startEscalations(trx, view, opened);
}

/** Events from before the consumer started arrive one by one within this time. */
export const lateMs = 10_000;

/** One that opened in maintenance may be over, with its closing on the way: a short delay waits for it. */
export function deferredUntil(
  maintenance: DecisionContext["maintenance"],
  { nowMs }: Pick<IncidentsView, "nowMs">,
  incident: NotifiedIncident,
): number | null {
  if (ignoresMaintenance(incident)) return null;
  const target = followedTarget(incident);
  const untilMs = maintenanceUntil(maintenance, target, nowMs);
  if (untilMs !== null) return untilMs;
  return maintenanceUntil(maintenance, target, incident.openedAtMs) === null ? null : nowMs + lateMs;
}

/**
 * Acknowledged incidents get no reminders, and no steps once enough users acknowledged; an undo resumes both. Snoozed
 * alerts move to the new end.
 */
async function follow(
  trx: Database,
  deps: DecisionContext,
  changes: readonly IncidentChange[],
  known: IncidentsById,
): Promise<number> {
  const fresh = changes.flatMap((change) => {
    const before = known.get(change.incident.id);
    if (before === undefined || !isNewer(change, before)) return [];
    const { acknowledgedAtMs, acknowledgedBy, snoozedUntilMs, revision } = change.incident;
    const acknowledged = acknowledgedAtMs ?? (change.name === "acknowledged" ? Math.round(change.atMs) : undefined);
    const after = { ...before, acknowledgedAtMs: acknowledged, acknowledgedBy, snoozedUntilMs, revision };
    return [{ before, after }];
  });
  if (fresh.length === 0) return 0;
  const incidents = fresh.map(({ after }) => after);
  await updateIncidents(trx, incidents);
  const { nowMs, policyOf } = await loadIncidentsView(trx, deps, incidents);
  await recordChanges(
    trx,
    changes[0]!.name,
    nowMs,
    fresh.map(({ after }) => ({ incident: after })),
  );
  await dropDeferredReminders(trx, idsOf(incidents.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== undefined)));
  await moveSnoozed(trx, idsOf(incidents), nowMs);
  const isResumed = ({ before, after }: (typeof fresh)[number]) =>
    before.acknowledgedAtMs !== undefined && after.acknowledgedAtMs === undefined;
  const resumed = fresh.filter(isResumed).map(({ after }) => after);
  await resumeReminders(trx, policyOf, resumed);
  await stopEscalations(
    trx,
    incidents.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== undefined),
    nowMs,
  );
  await resumeEscalations(trx, idsOf(resumed.filter(({ closedAtMs }) => closedAtMs === undefined)), nowMs);
  return fresh.length;
}

/** Events may be repeated or late. Versions that sent no revision sent acknowledgements only. */
const isNewer = ({ name, incident: { revision } }: IncidentChange, before: NotifiedIncident): boolean =>
  revision > before.revision ||
  (revision === 0 && before.revision === 0 && name === "acknowledged" && before.acknowledgedAtMs === undefined);

/** Ignores incidents that are not open here: the next reconciliation repeats the change after the opening. */
async function flap(
  trx: Database,
  deps: DecisionContext,
  name: "flapping" | "steady",
  changes: readonly IncidentChange[],
  known: IncidentsById,
): Promise<number> {
  const moments = changes.map((change) => {
    return { change, incidentId: change.incident.id, moment: `${name}:${Math.round(change.atMs)}` as const };
  });
  const decided = await decidedMoments(trx, moments);
  const fresh = moments.flatMap(({ change, incidentId, moment }) => {
    const before = known.get(incidentId);
    if (before === undefined || before.closedAtMs !== undefined || decided.has(`${incidentId} ${moment}`)) return [];
    return [{ moment, incident: { ...updated(before, change), closedAtMs: undefined, resolution: undefined } }];
  });
  if (fresh.length === 0) return 0;
  const incidents = fresh.map(({ incident }) => incident);
  await updateIncidents(trx, incidents);
  // Flapping ends a deferred steady alert, and the reverse.
  await endDeferred(trx, idsOf(incidents), deps.clock.now(), name === "steady" ? "flapping" : "steady");
  const view = await loadIncidentsView(trx, deps, incidents);
  await recordChanges(trx, name, view.nowMs, fresh);
  const decide = name === "steady" ? decideSteady : decideNews;
  const verdicts = fresh.map((verdict) => ({ ...verdict, decisions: decide(view.inputFor(verdict.incident)) }));
  await recordVerdicts(trx, view, verdicts);
  if (name === "flapping") {
    const restarted = incidents.filter(({ acknowledgedAtMs }) => acknowledgedAtMs === undefined);
    await endDeferred(trx, idsOf(restarted), view.nowMs, "step");
    await startEscalations(
      trx,
      view,
      restarted.map((incident) => ({ incident, input: view.inputFor(incident) })),
    );
  }
  return fresh.length;
}

/**
 * Closes incidents and notifies the channels that were notified of their opening. A closing that arrives before its
 * opening implies the opening, unless the incident opened before this service first followed its producer.
 */
async function close(trx: Database, deps: DecisionContext, changes: readonly IncidentChange[], before: IncidentsById) {
  let known = before;
  const missing = changes.flatMap(({ incident }) => (known.has(incident.id) ? [] : [incident]));
  const implied = missing.length === 0 ? [] : missing.filter(await openedSince(trx));
  if (implied.length > 0) {
    await announce(trx, deps, implied);
    known = await lockIncidents(trx, idsOf(changes.map(({ incident }) => incident)));
  }
  const closing = changes.flatMap((change) => {
    const opened = known.get(change.incident.id);
    if (opened === undefined || opened.closedAtMs !== undefined) return [];
    const incident = updated(opened, change);
    const closedAtMs = incident.closedAtMs ?? Math.round(change.atMs);
    return [{ incident: { ...incident, closedAtMs }, quiet: change.quiet }];
  });
  if (closing.length === 0) return 0;
  const incidents = closing.map(({ incident }) => incident);
  // Dependents are part of the alert, so they are read while the incidents are still open.
  const view = await loadIncidentsView(trx, deps, incidents);
  await recordChanges(trx, "closed", view.nowMs, closing);
  await updateIncidents(trx, incidents);
  await endDeferred(trx, idsOf(incidents), view.nowMs);
  await finishEscalations(trx, idsOf(incidents));
  await releaseDeferredBy(trx, idsOf(incidents), view.nowMs);
  const verdicts = closing.map(({ incident, quiet }) => ({
    incident,
    moment: "closed" as const,
    decisions: decideClosing({ ...view.inputFor(incident), quiet, resolution: incident.resolution }),
  }));
  await recordVerdicts(trx, view, verdicts);
  return closing.length;
}

/** Returns a predicate: whether an incident opened since this service first followed its producer. */
async function openedSince(db: Database): Promise<(incident: NotifiedIncident) => boolean> {
  const rows = await db("reconciliations").select<{ producer: string; sinceMs: number }[]>("producer", "since_ms");
  const sinceMs = new Map(rows.map((row) => [row.producer, row.sinceMs]));
  return ({ target, openedAtMs }) => openedAtMs >= (sinceMs.get(`${target.type}s`) ?? Number.POSITIVE_INFINITY);
}
