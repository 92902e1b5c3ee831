import type { Database } from "@sonde/kit/postgres/database";
import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import type { StoredMonitor } from "../monitors/monitor.ts";

const notDeleted = (db: Database) => db("monitors").whereNull("deletedAtMs").orderBy("id");

export async function findMonitors(db: Database, ids: readonly number[]): Promise<Map<number, StoredMonitor>> {
  if (ids.length === 0) return new Map();
  const rows = await notDeleted(db)
    .whereRaw("id = any(?::int[])", [[...ids]])
    .select<StoredMonitor[]>();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Oldest first. */
export function findByTarget(
  db: Database,
  targets: readonly string[],
): Promise<{ id: number; name: string; target: string; type: CheckType }[]> {
  return notDeleted(db)
    .whereRaw("target = any(?::text[])", [[...targets]])
    .select<{ id: number; name: string; target: string; type: CheckType }[]>(
      "id",
      "name",
      "target",
      db.raw("config->>'type' as type"),
    );
}

export async function reserveIds(db: Database, count: number): Promise<number[]> {
  const { rows } = await db.raw<{ rows: { id: number }[] }>(
    "select nextval(pg_get_serial_sequence('monitors', 'id'))::int as id from generate_series(1, ?)",
    [count],
  );
  return rows.map(({ id }) => id);
}

const chunkRows = 100;
export const chunks = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / chunkRows) }, (_, at) =>
    rows.slice(at * chunkRows, (at + 1) * chunkRows),
  );
