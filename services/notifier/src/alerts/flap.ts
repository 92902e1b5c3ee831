import type { Database } from "@sonde/kit/postgres/database";
import { type IncidentChange, updated } from "./change.ts";
import { decideNews, decideSteady } from "./decide.ts";
import type { DecisionContext } from "./deciding.ts";
import { decidedMoments, endDeferred } from "./decision-store.ts";
import { lockIncidents, updateIncidents } from "./incident-store.ts";
import type { AlertMoment } from "./moment.ts";
import { recordVerdicts } from "./tell.ts";
import { lookAt } from "./view.ts";

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
