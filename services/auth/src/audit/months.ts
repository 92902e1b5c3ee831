import type { Database } from "@sonde/kit/postgres/database";

const dayMs = 24 * 3_600_000;

function monthOf(atMs: number) {
  const at = new Date(atMs);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return {
    table: `audit_${year}_${String(month + 1).padStart(2, "0")}`,
    fromMs: Date.UTC(year, month),
    toMs: Date.UTC(year, month + 1),
  };
}

/** Creates the partitions for the previous, current and next month, and drops those past retention. */
export async function maintainMonths(db: Database, nowMs: number, retentionDays: number): Promise<void> {
  const months = await db.raw<{ rows: { relname: string }[] }>(
    "select relname from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'audit'::regclass",
  );
  const existing = new Set(months.rows.map(({ relname }) => relname));
  const current = monthOf(nowMs);
  // Entries that waited on the bus may belong to the previous month.
  for (const month of [monthOf(current.fromMs - 1), current, monthOf(current.toMs)]) {
    if (!existing.has(month.table)) await createMonth(db, month);
  }
  const oldest = monthOf(nowMs - retentionDays * dayMs);
  for (const table of existing)
    if (/^audit_\d{4}_\d{2}$/.test(table) && table < oldest.table) await db.raw("drop table ??", [table]);
}

async function createMonth(db: Database, { table, fromMs, toMs }: ReturnType<typeof monthOf>): Promise<void> {
  await db.transaction(async (trx) => {
    // Replicas may run this at the same time.
    await trx.raw("select pg_advisory_xact_lock(hashtextextended('sonde audit months', 0))");
    await trx.raw(`create table if not exists ?? partition of audit for values from (${fromMs}) to (${toMs})`, [table]);
  });
}
