import type { Database } from "@sonde/kit/postgres/database";
import { fromRow, type NotifiedIncident, type NotifiedIncidentRow, toRow } from "./incident.ts";

/** The known incidents, by id, locked until the transaction ends. */
export async function lockIncidents(trx: Database, ids: readonly string[]): Promise<Map<string, NotifiedIncident>> {
  const rows = await trx("incidents")
    .whereRaw("id = any(?)", [[...ids]])
    .orderBy("id")
    .forUpdate()
    .select<NotifiedIncidentRow[]>();
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/** Adds incidents that are not known. */
export async function insertIncidents(trx: Database, incidents: readonly NotifiedIncident[]): Promise<void> {
  await trx("incidents").insert(incidents.map(toRow));
}

const changing: (keyof NotifiedIncidentRow)[] = [
  "targetName",
  "cause",
  "closedAtMs",
  "resolution",
  "flaps",
  "facts",
  "dependsOn",
  "hosts",
  "acknowledgedAtMs",
  "reminders",
];

/** Stores newer events of incidents. A closed or acknowledged one has no next reminder. */
export async function updateIncidents(trx: Database, incidents: readonly NotifiedIncident[]): Promise<void> {
  if (incidents.length === 0) return;
  await trx("incidents").insert(incidents.map(toRow)).onConflict("id").merge(changing);
  await trx.raw(
    `update incidents set reminder_due_at_ms = null
     where id = any(?) and (closed_at_ms is not null or acknowledged_at_ms is not null)`,
    [incidents.map(({ id }) => id)],
  );
}

/** When each incident's next reminder is due; null: there is none. */
export async function planReminders(
  trx: Database,
  plans: readonly { id: string; dueAtMs: number | null }[],
): Promise<void> {
  await trx.raw(
    `update incidents set reminder_due_at_ms = plan.due
     from jsonb_to_recordset(?::jsonb) as plan (id text, due bigint)
     where incidents.id = plan.id and closed_at_ms is null and acknowledged_at_ms is null`,
    [JSON.stringify(plans.map(({ id, dueAtMs: due }) => ({ id, due })))],
  );
}

/** Incidents whose reminders are due, the longest waiting first. */
export async function dueReminders(trx: Database, nowMs: number, limit: number): Promise<string[]> {
  return trx("incidents")
    .where("reminder_due_at_ms", "<=", nowMs)
    .orderBy("reminder_due_at_ms")
    .limit(limit)
    .pluck<string[]>("id");
}
