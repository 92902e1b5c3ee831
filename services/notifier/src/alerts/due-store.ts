import type { Database } from "@sonde/kit/postgres/database";

/** When the next deferred decision or reminder is due (epoch milliseconds); Infinity if none is. */
export async function nextDueMs(db: Database): Promise<number> {
  const { rows } = await db.raw<{ rows: { dueAtMs: number | null }[] }>(
    `select least(
       (select min(until_ms) from decisions where outcome = 'held'),
       (select min(reminder_due_at_ms) from incidents where reminder_due_at_ms is not null)
     ) as "dueAtMs"`,
  );
  return rows[0]?.dueAtMs ?? Number.POSITIVE_INFINITY;
}
