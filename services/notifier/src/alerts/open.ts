import type { Database } from "@sonde/kit/postgres/database";
import type { Change } from "./change.ts";
import { decideNews } from "./decide.ts";
import type { Deciding } from "./deciding.ts";
import type { Incident } from "./incident.ts";
import { insertIncidents, lockIncidents } from "./incident-store.ts";
import { tell } from "./tell.ts";
import { lookAt, maintenanceUntil, type View } from "./view.ts";

/** Takes in that incidents opened, and decides whom to tell. Those that are known change nothing. Answers how many were new. */
export async function open(trx: Database, deps: Deciding, run: readonly Change[]): Promise<number> {
  const known = await lockIncidents(
    trx,
    run.map(({ incident }) => incident.id),
  );
  const fresh = run.flatMap(({ incident }) => (known.has(incident.id) ? [] : [incident]));
  if (fresh.length > 0) await announce(trx, deps, fresh);
  return fresh.length;
}

/** Adds open incidents that nobody was told of yet. */
export async function announce(trx: Database, deps: Deciding, given: readonly Incident[]): Promise<void> {
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
      maintenanceUntilMs: heldUntil(deps, view, incident),
      parentIncidentId: view.parentOf(incident),
    }),
  }));
  await tell(trx, view, verdicts, nowMs);
}

/** Events that were told while nobody listened come within so long, one behind the other. */
export const lateMs = 10_000;

/**
 * Until when the opening of an incident is held by maintenance. One that opened in maintenance and is told after its end may
 * be over already, and its closing on the way: that is waited for.
 */
function heldUntil({ maintenance }: Deciding, view: View, { target, openedAtMs }: Incident): number | null {
  const untilMs = maintenanceUntil(maintenance, target, view.nowMs);
  if (untilMs !== null) return untilMs;
  return maintenanceUntil(maintenance, target, openedAtMs) === null ? null : view.nowMs + lateMs;
}
