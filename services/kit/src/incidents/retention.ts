import type { Database } from "../postgres/database.ts";

const batchRows = 500;

/**
 * Deletes a service's incidents that closed before an instant, oldest first and in small batches; an open one never.
 * Several processes may do it at once. Returns the number deleted.
 */
export async function pruneIncidents(db: Database, closedBeforeMs: number): Promise<number> {
  for (let deleted = 0; ;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from incidents where id in (
         select id from incidents where closed_at_ms < ? order by closed_at_ms limit ${batchRows} for update skip locked
       )`,
      [Math.round(closedBeforeMs)],
    );
    deleted += rowCount;
    if (rowCount < batchRows) return deleted;
  }
}
