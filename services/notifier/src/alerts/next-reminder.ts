import type { Database } from "@sonde/kit/postgres/database";
import type { TargetType } from "@sonde/proto/http/monitors/targets";

type ReminderRow = { id: string; type: TargetType; targetId: number; name: string; dueMs: number };

/** The reminder that is due first; undefined if there is none. */
export async function findNextReminder(db: Database) {
  const row: ReminderRow | undefined = await db("incidents")
    .whereNotNull("reminder_due_at_ms")
    .orderBy("reminder_due_at_ms")
    .first("id", "target_type as type", "target_id as targetId", "target_name as name", "reminder_due_at_ms as dueMs");
  if (row === undefined) return undefined;
  const { id, type, targetId, name, dueMs } = row;
  return { incidentId: id, target: { type, id: targetId, name }, at: new Date(dueMs).toISOString() };
}
