import type { Database } from "@sonde/kit/postgres/database";

const dayMs = 24 * 3_600_000;

/** The month of an instant, in UTC: its table, and its bounds in epoch milliseconds. */
function monthOf(atMs: number) {
  const at = new Date(atMs);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return {
    table: `audit_${year}_${String(month + 1).padStart(2, "0")}`,
    fromMs: Date.UTC(year, month),
    toMs: Date.UTC(year, month + 1),
  };
}

/** Makes the tables of the months that entries of the present, and of the bus, fall into; drops those that are too old. */
export async function keepMonths(db: Database, nowMs: number, keptDays: number): Promise<void> {
  const months = await db.raw<{ rows: { relname: string }[] }>(
    "select relname from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'audit'::regclass",
  );
  const there = new Set(months.rows.map(({ relname }) => relname));
  const current = monthOf(nowMs);
  // What waited on the bus for as long as it keeps it is of the month before.
  for (const month of [monthOf(current.fromMs - 1), current, monthOf(current.toMs)]) {
    if (!there.has(month.table)) await makeMonth(db, month);
  }
  const oldest = monthOf(nowMs - keptDays * dayMs);
  for (const table of there)
    if (/^audit_\d{4}_\d{2}$/.test(table) && table < oldest.table) await db.raw("drop table ??", [table]);
}

async function makeMonth(db: Database, { table, fromMs, toMs }: ReturnType<typeof monthOf>): Promise<void> {
  await db.transaction(async (trx) => {
    // Of two replicas one makes it.
    await trx.raw("select pg_advisory_xact_lock(hashtextextended('sonde audit months', 0))");
    await trx.raw(`create table if not exists ?? partition of audit for values from (${fromMs}) to (${toMs})`, [table]);
  });
}
