import type { Database } from "@sonde/kit/postgres/database";
import { type IncidentChange, runsOf, updated } from "./change.ts";
import { close } from "./close.ts";
import { deciding, type DecisionContext } from "../deciding.ts";
import { flap, open } from "./open.ts";
import { dropDeferredReminders } from "../decision-store.ts";
import { lockIncidents, updateIncidents } from "../incident-store.ts";

/**
 * Applies changes of incidents in order and decides which channels to notify, in one transaction. Changes applied
 * before have no effect. Returns how many were new.
 */
export async function applyChanges(deps: DecisionContext, changes: readonly IncidentChange[]): Promise<number> {
  let fresh = 0;
  await deciding(deps.db, async (trx) => {
    fresh = 0;
    for (const run of runsOf(changes)) fresh += await applyRun(trx, deps, run);
  });
  if (fresh > 0) deps.due();
  return fresh;
}

function applyRun(trx: Database, deps: DecisionContext, run: readonly IncidentChange[]): Promise<number> {
  const name = run[0]?.name;
  switch (name) {
    case "opened":
      return open(trx, deps, run);
    case "closed":
      return close(trx, deps, run);
    case "acknowledged":
      return acknowledge(trx, run);
    case "flapping":
    case "steady":
      return flap(trx, deps, name, run);
    case undefined:
      return Promise.resolve(0);
  }
}

/**
 * Records that incidents were acknowledged: no more reminders are sent for them. Returns how many were not acknowledged
 * before.
 */
export async function acknowledge(trx: Database, run: readonly IncidentChange[]): Promise<number> {
  const known = await lockIncidents(
    trx,
    run.map(({ incident }) => incident.id),
  );
  const fresh = run.flatMap((change) => {
    const before = known.get(change.incident.id);
    if (before === undefined || before.acknowledgedAtMs !== undefined) return [];
    return [{ ...before, acknowledgedAtMs: updated(before, change).acknowledgedAtMs ?? Math.round(change.atMs) }];
  });
  if (fresh.length === 0) return 0;
  await updateIncidents(trx, fresh);
  await dropDeferredReminders(
    trx,
    fresh.map(({ id }) => id),
  );
  return fresh.length;
}
