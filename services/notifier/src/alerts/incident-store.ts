import type { Database } from "@sonde/kit/postgres/database";
import { fromRow, type NotifiedIncident, type NotifiedIncidentRow, toRow } from "./incident.ts";

const columns: (keyof NotifiedIncidentRow)[] = [
  "id",
  "target_type",
  "target_id",
  "target_name",
  "kind",
  "metric",
  "cause",
  "opened_at_ms",
  "closed_at_ms",
  "resolution",
  "flaps",
  "facts",
  "depends_on",
  "hosts",
  "acknowledged_at_ms",
  "reminders",
];

/** The known incidents, by id, locked until the transaction ends. */
export async function lockIncidents(trx: Database, ids: readonly string[]): Promise<Map<string, NotifiedIncident>> {
  const rows = await trx("incidents")
    .whereRaw("id = any(?)", [[...ids]])
    .orderBy("id")
    .forUpdate()
    .select<NotifiedIncidentRow[]>(columns);
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/** Adds incidents that are not known. */
export async function insertIncidents(trx: Database, incidents: readonly NotifiedIncident[]): Promise<void> {
  const names = columns.join(", ");
  await trx.raw(
    `insert into incidents (${names}) select ${names} from jsonb_populate_recordset(null::incidents, ?::jsonb)`,
    [JSON.stringify(incidents.map(toRow))],
  );
}

/** Stores newer events of incidents. A closed or acknowledged one has no next reminder. */
export async function updateIncidents(trx: Database, incidents: readonly NotifiedIncident[]): Promise<void> {
  await trx.raw(
    `update incidents set
       target_name = new.target_name, cause = new.cause, closed_at_ms = new.closed_at_ms, resolution = new.resolution,
       flaps = new.flaps, facts = new.facts, depends_on = new.depends_on, hosts = new.hosts,
       acknowledged_at_ms = new.acknowledged_at_ms, reminders = new.reminders,
       reminder_due_at_ms = case
         when new.closed_at_ms is null and new.acknowledged_at_ms is null then incidents.reminder_due_at_ms
       end
     from jsonb_populate_recordset(null::incidents, ?::jsonb) as new
     where incidents.id = new.id`,
    [JSON.stringify(incidents.map(toRow))],
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
