import type { Database } from "@sonde/kit/postgres/database";
import { type IncidentChange, updated } from "./change.ts";
import { decideClosing } from "../decide.ts";
import type { DecisionContext } from "../deciding.ts";
import { endDeferred, releaseDeferredBy } from "../decision-store.ts";
import { lockIncidents, updateIncidents } from "../incident-store.ts";
import { announce } from "./open.ts";
import { recordVerdicts } from "../record-verdicts.ts";
import { lookAt } from "../view.ts";

/**
 * Closes incidents and notifies the channels that were notified of their opening. A closing that arrives before its
 * opening implies it, unless the incident opened before this service first followed its producer. Returns how many were
 * open until now.
 */
export async function close(trx: Database, deps: DecisionContext, run: readonly IncidentChange[]): Promise<number> {
  const ids = run.map(({ incident }) => incident.id);
  let known = await lockIncidents(trx, ids);
  const missing = run.filter(({ incident }) => !known.has(incident.id)).map(({ incident }) => incident);
  const implied = missing.length === 0 ? [] : missing.filter(await openedSince(trx));
  if (implied.length > 0) {
    await announce(trx, deps, implied);
    known = await lockIncidents(trx, ids);
  }
  const closing = run.flatMap((change) => {
    const before = known.get(change.incident.id);
    if (before === undefined || before.closedAtMs !== undefined) return [];
    const incident = updated(before, change);
    return [{ change, incident: { ...incident, closedAtMs: incident.closedAtMs ?? Math.round(change.atMs) } }];
  });
  if (closing.length === 0) return 0;
  const incidents = closing.map(({ incident }) => incident);
  const closingIds = incidents.map(({ id }) => id);
  // Their dependents are part of the alert, so they are read while the incidents are open.
  const view = await lookAt(trx, deps, incidents);
  const nowMs = deps.clock.now();
  await updateIncidents(trx, incidents);
  await endDeferred(trx, closingIds, nowMs);
  await releaseDeferredBy(trx, closingIds, nowMs);
  const verdicts = closing.map(({ incident, change: { quiet } }) => ({
    incident,
    moment: "closed" as const,
    facts: view.factsOf(incident, "closed"),
    decisions: decideClosing({ ...view.question(incident), quiet }),
  }));
  await recordVerdicts(trx, view, verdicts, nowMs);
  return closing.length;
}

/** Whether an incident opened since events of its producer are read here. */
async function openedSince(db: Database): Promise<(incident: IncidentChange["incident"]) => boolean> {
  const rows = await db("reconciliations").select<{ producer: string; sinceMs: number }[]>("producer", "since_ms");
  const sinceMs = new Map(rows.map((row) => [row.producer, row.sinceMs]));
  return ({ target, openedAtMs }) => openedAtMs >= (sinceMs.get(`${target.type}s`) ?? Number.POSITIVE_INFINITY);
}
