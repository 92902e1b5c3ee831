import type { Database } from "@sonde/kit/postgres/database";
import { type IncidentChange, updated } from "./change.ts";
import { dropDeferredReminders } from "./decision-store.ts";
import { lockIncidents, updateIncidents } from "./incident-store.ts";

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
