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
import { type IncidentsView, lookAt, maintenanceUntil } from "./facts.ts";
import {
  followedTarget,
  idsOf,
  insertIncidents,
  lockIncidents,
  type NotifiedIncident,
  updateIncidents,
} from "./incident.ts";

/**
 * Applies changes of incidents in order and decides which channels to notify, in one transaction. Changes applied
 * before have no effect. Returns how many were new.
 */
export async function applyChanges(deps: DecisionContext, changes: readonly IncidentChange[]): Promise<number> {
  const fresh = await deciding(deps.db, async (trx) => {
    let count = 0;
    for (const run of runsOf(changes)) {
      const known = await lockIncidents(trx, idsOf(run.changes.map(({ incident }) => incident)));
      count += await applyRun(trx, deps, run, known);
    }
    return count;
  });
  // Wakes the sender, which claims rows of `messages`.
  if (fresh > 0) deps.due();
  return fresh;
}

export const changeNames = [
  "opened",
  "closed",
  "acknowledged",
  "unacknowledged",
  "snoozed",
  "flapping",
  "steady",
] as const;
export type ChangeName = (typeof changeNames)[number];

export type IncidentChange = {
  name: ChangeName;
  incident: NotifiedIncident;
  /** Whether the event had `incident.facts` too. */
  hasFacts: boolean;
  /** No alerts are sent: paused, edited, deleted. */
  quiet: boolean;
  /** When the event was decided, epoch ms: with the name it distinguishes a second flapping from the first. */
  atMs: number;
};

function updated(known: NotifiedIncident, { incident, hasFacts }: IncidentChange): NotifiedIncident {
  return {
    ...incident,
    facts: hasFacts ? incident.facts : known.facts,
    // These have events of their own, and an event from before such a change may arrive after it.
    acknowledgedAtMs: known.acknowledgedAtMs,
    snoozedUntilMs: known.snoozedUntilMs,
    revision: known.revision,
    reminders: known.reminders,
  };
}

/** Changes of different incidents, all of the same name, so that none follows from another but by dependencies. */
type Run = { name: ChangeName; changes: IncidentChange[] };
/** By id; what a run changes is locked. */
type Known = ReadonlyMap<string, NotifiedIncident>;

/** Cuts changes, in their order, into runs that can be decided together. */
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

function applyRun(trx: Database, deps: DecisionContext, { name, changes }: Run, known: Known): Promise<number> {
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

/** Opens incidents and decides which channels to notify. Known ones have no effect. */
async function open(trx: Database, deps: DecisionContext, changes: readonly IncidentChange[], known: Known) {
  const fresh = changes.flatMap(({ incident }) => (known.has(incident.id) ? [] : [incident]));
  if (fresh.length > 0) await announce(trx, deps, fresh);
  return fresh.length;
}

async function announce(trx: Database, deps: DecisionContext, given: readonly NotifiedIncident[]): Promise<void> {
  const incidents = given.map((incident) => ({ ...incident, closedAtMs: undefined, resolution: undefined }));
  await insertIncidents(trx, incidents);
  const view = await lookAt(trx, deps, incidents);
  const verdicts = incidents.map((incident) => ({
    incident,
    moment: "opened" as const,
    decisions: decideNews({ ...view.question(incident), maintenanceUntilMs: deferredUntil(deps, view, incident) }),
  }));
  await recordVerdicts(trx, view, verdicts);
}

/** Events from before the consumer started arrive within this time, one after the other. */
export const lateMs = 10_000;

/**
 * Until when maintenance defers the opening of an incident. One that opened in maintenance may already be over when
 * maintenance ends, with its closing on the way: a short delay waits for that.
 */
function deferredUntil(
  { maintenance }: DecisionContext,
  { nowMs }: IncidentsView,
  incident: NotifiedIncident,
): number | null {
  const target = followedTarget(incident);
  const untilMs = maintenanceUntil(maintenance, target, nowMs);
  if (untilMs !== null) return untilMs;
  return maintenanceUntil(maintenance, target, incident.openedAtMs) === null ? null : nowMs + lateMs;
}

/**
 * Follows what people made of incidents: no reminders are sent of one that is acknowledged, they go on where that is taken
 * back, and what a snooze holds moves with its end.
 */
async function follow(
  trx: Database,
  deps: DecisionContext,
  changes: readonly IncidentChange[],
  known: Known,
): Promise<number> {
  const fresh = changes.flatMap((change) => {
    const before = known.get(change.incident.id);
    if (before === undefined || !isNewer(change, before)) return [];
    const { acknowledgedAtMs, snoozedUntilMs, revision } = change.incident;
    const acknowledged = change.name === "acknowledged" ? Math.round(change.atMs) : undefined;
    return [
      { before, after: { ...before, acknowledgedAtMs: acknowledgedAtMs ?? acknowledged, snoozedUntilMs, revision } },
    ];
  });
  if (fresh.length === 0) return 0;
  const incidents = fresh.map(({ after }) => after);
  await updateIncidents(trx, incidents);
  const { nowMs, policyOf } = await lookAt(trx, deps, incidents);
  await dropDeferredReminders(trx, idsOf(incidents.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== undefined)));
  await moveSnoozed(trx, idsOf(incidents), nowMs);
  const isResumed = ({ before, after }: (typeof fresh)[number]) =>
    before.acknowledgedAtMs !== undefined && after.acknowledgedAtMs === undefined;
  await resumeReminders(
    trx,
    policyOf,
    fresh.filter(isResumed).map(({ after }) => after),
  );
  return fresh.length;
}

/** Events may come again, or late; those of a version that did not count are of acknowledgements alone. */
const isNewer = ({ name, incident: { revision } }: IncidentChange, before: NotifiedIncident): boolean =>
  revision > before.revision ||
  (revision === 0 && before.revision === 0 && name === "acknowledged" && before.acknowledgedAtMs === undefined);

/**
 * Records that targets of open incidents started or stopped flapping. Known changes have no effect, nor has one of an
 * incident that is not open here: the next comparison with its producer repeats it after the opening.
 */
async function flap(
  trx: Database,
  deps: DecisionContext,
  name: "flapping" | "steady",
  changes: readonly IncidentChange[],
  known: Known,
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
  // Either is over with the other.
  await endDeferred(trx, idsOf(incidents), deps.clock.now(), name === "steady" ? "flapping" : "steady");
  const view = await lookAt(trx, deps, incidents);
  const decide = name === "steady" ? decideSteady : decideNews;
  const verdicts = fresh.map((verdict) => ({ ...verdict, decisions: decide(view.question(verdict.incident)) }));
  await recordVerdicts(trx, view, verdicts);
  return fresh.length;
}

/**
 * Closes incidents and notifies the channels that were notified of their opening. A closing that arrives before its
 * opening implies it, unless the incident opened before this service first followed its producer.
 */
async function close(trx: Database, deps: DecisionContext, changes: readonly IncidentChange[], before: Known) {
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
  // Their dependents are part of the alert, so they are read while the incidents are open.
  const view = await lookAt(trx, deps, incidents);
  await updateIncidents(trx, incidents);
  await endDeferred(trx, idsOf(incidents), view.nowMs);
  await releaseDeferredBy(trx, idsOf(incidents), view.nowMs);
  const verdicts = closing.map(({ incident, quiet }) => ({
    incident,
    moment: "closed" as const,
    decisions: decideClosing({ ...view.question(incident), quiet }),
  }));
  await recordVerdicts(trx, view, verdicts);
  return closing.length;
}

/** Whether an incident opened since events of its producer are read here. */
async function openedSince(db: Database): Promise<(incident: NotifiedIncident) => boolean> {
  const rows = await db("reconciliations").select<{ producer: string; sinceMs: number }[]>("producer", "since_ms");
  const sinceMs = new Map(rows.map((row) => [row.producer, row.sinceMs]));
  return ({ target, openedAtMs }) => openedAtMs >= (sinceMs.get(`${target.type}s`) ?? Number.POSITIVE_INFINITY);
}
