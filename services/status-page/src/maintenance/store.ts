import { oneOf } from "@sonde/kit/one-of";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKey } from "@sonde/kit/postgres/outbox";
import { type MaintenanceStatus, maintenanceStatuses } from "@sonde/proto/http/status/maintenance";
import { buckets } from "@sonde/proto/streams";
import { readWindow, type ShownWindow, toColumns, type Window, type WindowFields, type WindowRow } from "./window.ts";

type ShownRow = WindowRow & { status: string; next_from_ms: number | null; next_to_ms: number | null; total: number };

const readStatus = oneOf(maintenanceStatuses, "status of maintenance");

/**
 * Locks adding and moving windows until the transaction ends: two at once would both find room for one. A lock of the
 * table itself would also wait for changes of single windows, and block them.
 */
export const lockWindows = (trx: Database) =>
  trx.raw("select pg_advisory_xact_lock(hashtextextended(current_schema() || ' windows', 0))");

/** A window that is not deleted, locked until the transaction ends. */
export async function lockWindow(trx: Database, id: number): Promise<Window | undefined> {
  const row = await trx<WindowRow>("windows").where({ id }).whereNull("deleted_at_ms").forUpdate().first();
  return row && readWindow(row);
}

/** A window that is not deleted. */
export async function findWindow(db: Database, id: number): Promise<Window | undefined> {
  const row = await db<WindowRow>("windows").where({ id }).whereNull("deleted_at_ms").first();
  return row && readWindow(row);
}

/** How many windows have an occurrence that has not ended, except one window. */
export async function countUnended(trx: Database, nowMs: number, exceptId = 0): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `select count(*) from windows where deleted_at_ms is null and id <> :exceptId
     and exists (select from occurrences where window_id = windows.id and to_ms > :nowMs)`,
    { nowMs, exceptId },
  );
  return rows[0]?.count ?? 0;
}

export async function insertWindow(trx: Database, fields: WindowFields, nowMs: number): Promise<number> {
  const row = { ...toColumns(fields), revision: nextRevision(trx), created_at_ms: nowMs, updated_at_ms: nowMs };
  const [inserted] = await trx("windows").insert(row).returning<{ id: number }[]>("id");
  return inserted?.id ?? 0;
}

export async function updateWindow(trx: Database, id: number, fields: WindowFields, nowMs: number): Promise<void> {
  await trx("windows")
    .where({ id })
    .update({ ...toColumns(fields), updated_at_ms: nowMs });
}

/** Records up to when its occurrences are known, and publishes them in the bucket. */
export async function occurrencesChanged(trx: Database, id: number, plannedUntilMs: number): Promise<void> {
  await trx("windows")
    .where({ id })
    .update({ planned_until_ms: plannedUntilMs, revision: nextRevision(trx) });
  await enqueueKey(trx, buckets.maintenance, String(id));
}

/** Reduces a window to what it covered. */
export async function buryWindow(trx: Database, id: number, nowMs: number): Promise<void> {
  await trx("windows")
    .where({ id })
    .update({ name: "", note: "", is_public: false, deleted_at_ms: nowMs, updated_at_ms: nowMs });
}

const nextRevision = (trx: Database) => trx.raw("nextval('revisions')");

export type WindowFilter = { status?: string; ids?: readonly number[]; limit: number; offset: number };

/** A page of windows: those that run, by their end; those ahead, by their beginning; the past, the newest end first. */
export async function findWindows(
  db: Database,
  nowMs: number,
  { status, ids, limit, offset }: WindowFilter,
): Promise<{ windows: ShownWindow[]; total: number }> {
  const { rows } = await db.raw<{ rows: ShownRow[] }>(
    `with timed as (
       select windows.*, next.from_ms as next_from_ms, next.to_ms as next_to_ms,
         case when next.from_ms is null then 'ended' when next.from_ms <= :nowMs then 'running' else 'scheduled' end as status,
         coalesce((select max(to_ms) from occurrences where window_id = windows.id), windows.updated_at_ms) as last_to_ms
       from windows left join lateral (
         select from_ms, to_ms from occurrences
         where window_id = windows.id and to_ms > :nowMs order by from_ms limit 1
       ) as next on true
       where deleted_at_ms is null and (:ids::int[] is null or id = any(:ids::int[]))
     )
     select *, count(*) over () as total from timed
     where status = coalesce(:status, status)
     order by case status when 'running' then 0 when 'scheduled' then 1 else 2 end,
       case status when 'running' then next_to_ms when 'scheduled' then next_from_ms else -last_to_ms end, id
     limit :limit offset :offset`,
    { nowMs, status: status ?? null, ids: ids ? [...ids] : null, limit, offset },
  );
  // A page beyond the last one has a total all the same.
  if (rows.length === 0 && offset > 0) {
    const first = await findWindows(db, nowMs, { status, ids, limit: 1, offset: 0 });
    return { windows: [], total: first.total };
  }
  const windows = rows.map((row) => ({
    ...readWindow(row),
    status: readStatus(row.status) satisfies MaintenanceStatus,
    nextStartMs: row.next_from_ms ?? undefined,
    nextEndMs: row.next_to_ms ?? undefined,
  }));
  return { windows, total: rows[0]?.total ?? 0 };
}
