import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { MonitorStatus } from "@sonde/proto/http/monitors";
import type { Due } from "../state/stale.ts";
import type { Definition, StoredMonitor } from "./monitor.ts";
import { type MonitorRow, readRow, writeRow } from "./rows.ts";
import type { NextState } from "./next-state.ts";

// PostgreSQL's integer; a greater number is nobody's id, and no reason for a fault.
export const maxId = 2_147_483_647;

/** @throws AppError not_found */
export async function findMonitor(db: Database, id: number): Promise<StoredMonitor> {
  if (id > maxId) return found(undefined);
  return found(await db<MonitorRow>("monitors").where({ id }).whereNull("deleted_at_ms").first());
}

/** The same, and nobody else changes it until the transaction ends. */
export async function lockMonitor(trx: Database, id: number): Promise<StoredMonitor> {
  if (id > maxId) return found(undefined);
  return found(await trx<MonitorRow>("monitors").where({ id }).whereNull("deleted_at_ms").forUpdate().first());
}

function found(row: MonitorRow | undefined): StoredMonitor {
  if (row === undefined) throw new AppError("not_found", "Monitor does not exist");
  return readRow(row);
}

const nextRevision = (db: Database) => db.raw("nextval('revisions')");
/** A new version begins with nothing seen. */
const unseen = { state_stream: "", state_sequence: 0, stale_since_ms: null, changes_ms: [], flapping_since_ms: null };

export async function insertMonitor(
  trx: Database,
  definition: Definition,
  { newVersion: _fresh, ...state }: NextState,
): Promise<StoredMonitor> {
  const row = { ...writeRow({ ...definition, ...state }), revision: nextRevision(trx) };
  const [inserted] = await trx("monitors").insert(row).returning<MonitorRow[]>("*");
  return found(inserted);
}

export async function updateMonitor(
  trx: Database,
  id: number,
  definition: Definition,
  { newVersion, ...state }: NextState,
): Promise<StoredMonitor> {
  const row = {
    ...writeRow({ ...definition, ...state }),
    revision: nextRevision(trx),
    ...(newVersion ? unseen : {}),
  };
  const [updated] = await trx("monitors").where({ id }).update(row).returning<MonitorRow[]>("*");
  // An edit leaves nothing of what the old check found; a pause does.
  if (newVersion && state.figuresVersion === state.version) await trx("figures").where({ monitor_id: id }).delete();
  return found(updated);
}

/** Leaves a tombstone that holds nothing of what a person entered, but for the name that its incidents show. */
export async function markMonitorDeleted(trx: Database, id: number, atMs: number): Promise<number> {
  const empty = {
    target: "",
    config: trx.raw("jsonb_build_object('type', config->'type')"),
    tags: [],
    depends_on: "[]",
    note: "",
    active_since_ms: null,
  };
  const [row] = await trx("monitors")
    .where({ id })
    .update({ ...empty, deleted_at_ms: atMs, revision: nextRevision(trx), version: trx.raw("version + 1") })
    .returning<{ revision: number }[]>("revision");
  await trx("figures").where({ monitor_id: id }).delete();
  await trx("timeline_spans").where({ monitor_id: id }).delete();
  return row?.revision ?? 0;
}

/** Those whose tombstones stood long enough; they are gone now, with their incidents. */
export function purgeTombstones(trx: Database, beforeMs: number): Promise<Pick<MonitorRow, "id" | "locations">[]> {
  return trx("monitors")
    .where("deleted_at_ms", "<", beforeMs)
    .delete()
    .returning<Pick<MonitorRow, "id" | "locations">[]>(["id", "locations"]);
}

export type LongUnchecked = Due & {
  status: MonitorStatus;
  figuresVersion: number;
  /** Of what is stored; newer figures may have been told. */
  lastCheckedAtMs: number | null;
};

/** Active monitors that may have missed three slots: more than two intervals passed since the last stored check. */
export async function findLongUnchecked(db: Database, nowMs: number): Promise<LongUnchecked[]> {
  const { rows } = await db.raw<{ rows: LongUnchecked[] }>(
    `select id, monitors.status, interval_ms as "intervalMs", timeout_ms as "timeoutMs",
            active_since_ms as "activeSinceMs", figures_version as "figuresVersion",
            max(checked_at_ms) as "lastCheckedAtMs"
     from monitors left join figures on monitor_id = id and figures.version >= figures_version
     where deleted_at_ms is null and active_since_ms is not null
     group by monitors.id
     having coalesce(max(checked_at_ms), 0) + 2 * interval_ms < :nowMs
        and (active_since_ms + 2 * interval_ms < :nowMs or active_since_ms > :nowMs)`,
    { nowMs: Math.round(nowMs) },
  );
  return rows;
}

export async function countByStatus(db: Database): Promise<Record<MonitorStatus, number>> {
  const rows = await db<MonitorRow>("monitors")
    .whereNull("deleted_at_ms")
    .select<{ status: MonitorStatus; count: number }[]>("status", db.raw("count(*) as count"))
    .groupBy("status");
  const counts = { pending: 0, up: 0, down: 0, paused: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}
