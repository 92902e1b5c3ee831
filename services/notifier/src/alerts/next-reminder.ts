import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type { NextReminderSchema } from "@sonde/proto/gen/notifications/v1/notifications";

/** The reminder that is due first; undefined where no incident waits for one. */
export async function findNextReminder(db: Database): Promise<MessageInitShape<typeof NextReminderSchema> | undefined> {
  const row = await db("incidents")
    .whereNotNull("reminder_due_at_ms")
    .orderBy("reminder_due_at_ms")
    .first("id", "target_type", "target_id", "target_name", "reminder_due_at_ms");
  if (row === undefined) return undefined;
  return {
    incidentId: row.id,
    target: { type: row.target_type, id: row.target_id },
    targetName: row.target_name,
    atMs: row.reminder_due_at_ms,
  };
}
