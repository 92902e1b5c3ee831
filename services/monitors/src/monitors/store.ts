import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { heavyFields, passiveTypes, targetOf } from "@sonde/proto/http/monitors/kinds";
import { type MonitorStatus, splitInput } from "@sonde/proto/http/monitors/monitors";
import { heartbeatLocation } from "@sonde/proto/subjects";
import { endAddresses } from "../heartbeats/targets.ts";
import { isMember } from "../groups/store.ts";
import type { MonitorTiming } from "../state/stale.ts";
import type { Definition, NextState, StoredMonitor } from "./monitor.ts";
import { shownCheck } from "./stored-check.ts";

// PostgreSQL's largest integer. A greater id is "not found" instead of an error.
export const maxId = 2_147_483_647;

export const compactConfig = `config - array[${heavyFields.map((name) => `'${name}'`).join(", ")}]`;
/** If two columns have the same name, the last one counts. */
export const compactColumns = `monitors.*, ${compactConfig} as config`;
const addressesOfSteps =
  "select jsonb_agg(jsonb_build_object('url', step->'url')) from jsonb_array_elements(config->'steps') as step";
const alertedBy = `(select coalesce(jsonb_agg(grouping.name order by grouping.id), '[]') from monitors as grouping
  where grouping.config->>'type' = 'group' and grouping.config->>'notifyMembers' = 'false'
    and grouping.deleted_at_ms is null and grouping.status <> 'paused' and ${isMember("grouping", "monitors")})`;
export async function alertersOf(db: Database, id: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { names: string[] }[] }>(
    `select ${alertedBy} as names from monitors where id = ?`,
    [id],
  );
  return rows[0]?.names ?? [];
}
/** Compact, but with the addresses of steps, and with the names of groups that alert instead of the monitor. */
export const describedColumns = `monitors.*, ${alertedBy} as alerted_by,
  ${compactConfig} || jsonb_strip_nulls(jsonb_build_object('steps', (${addressesOfSteps}))) as config`;

/** @throws AppError not_found */
export async function findMonitor(db: Database, id: number): Promise<StoredMonitor> {
  if (id > maxId) return orThrow(undefined);
  return orThrow(await db<StoredMonitor>("monitors").where({ id }).whereNull("deletedAtMs").first());
}

/** @throws AppError not_found */
export async function lockMonitor(trx: Database, id: number): Promise<StoredMonitor> {
  if (id > maxId) return orThrow(undefined);
  return orThrow(await trx<StoredMonitor>("monitors").where({ id }).whereNull("deletedAtMs").forUpdate().first());
}

/** Locks the monitors that exist, in order of id, so that two transactions cannot deadlock. */
export const lockMonitors = (trx: Database, ids: readonly number[]): Promise<StoredMonitor[]> =>
  trx<StoredMonitor>("monitors")
    .whereRaw("id = any(?::int[])", [[...ids]])
    .whereNull("deletedAtMs")
    .orderBy("id")
    .forUpdate()
    .select<StoredMonitor[]>("*");

function orThrow(row: StoredMonitor | undefined): StoredMonitor {
  if (row === undefined) throw new AppError("not_found", "Monitor does not exist");
  return row;
}

function columnsOf(definition: Definition, { newVersion: _newVersion, ...state }: NextState) {
  const { config, intervalMs, timeoutMs } = definition;
  const { dependsOn, confirm, slowAfter, slowChecks, ...shared } = splitInput(definition).shared;
  return {
    ...shared,
    ...state,
    intervalMs,
    timeoutMs,
    target: targetOf(shownCheck(config)),
    config: JSON.stringify(config),
    dependsOn: JSON.stringify(dependsOn),
    confirm: confirm ? JSON.stringify(confirm) : null,
    slowAfter: slowAfter ?? null,
    slowChecks: slowChecks ? JSON.stringify(slowChecks) : null,
  };
}

const nextRevision = (db: Database) => db.raw("nextval('revisions')");
const unseen = {
  stateStream: "",
  stateSequence: 0,
  staleSinceMs: null,
  changesMs: [],
  flappingSinceMs: null,
  slowSinceMs: null,
};

/** `id`: reserved id. */
export async function insertMonitors(
  trx: Database,
  given: readonly { id?: number | undefined; definition: Definition; state: NextState }[],
): Promise<StoredMonitor[]> {
  if (given.length === 0) return [];
  const rows = given.map(({ id, definition, state }) => ({
    ...columnsOf(definition, state),
    ...(id !== undefined && { id }),
    revision: nextRevision(trx),
  }));
  return trx("monitors").insert(rows).returning<StoredMonitor[]>("*");
}

export async function updateMonitor(
  trx: Database,
  id: number,
  definition: Definition,
  state: NextState,
): Promise<StoredMonitor> {
  const row = { ...columnsOf(definition, state), revision: nextRevision(trx), ...(state.newVersion ? unseen : {}) };
  const [updated] = await trx("monitors").where({ id }).update(row).returning<StoredMonitor[]>("*");
  // An edit discards the figures of the old check; a pause does not.
  if (state.newVersion && state.figuresVersion === state.version)
    await trx("figures").where({ monitorId: id }).delete();
  return orThrow(updated);
}

/** Replaces monitors with tombstones, which keep only the name, because incidents show it. @returns revisions by id */
export async function markDeleted(trx: Database, ids: readonly number[], atMs: number): Promise<Map<number, number>> {
  const empty = {
    target: "",
    config: trx.raw("jsonb_build_object('type', config->'type')"),
    tags: [],
    dependsOn: "[]",
    note: "",
    description: "",
    activeSinceMs: null,
  };
  const rows = await trx("monitors")
    .whereRaw("id = any(?::int[])", [[...ids]])
    .update({ ...empty, deletedAtMs: atMs, revision: nextRevision(trx), version: trx.raw("version + 1") })
    .returning<{ id: number; revision: number }[]>(["id", "revision"]);
  await endAddresses(trx, ids, atMs);
  for (const table of ["figures", "fingerprints", "timeline_spans", "heartbeats"])
    await trx(table)
      .whereRaw("monitor_id = any(?::int[])", [[...ids]])
      .delete();
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

/** Also deletes their incidents. */
export function purgeTombstones(trx: Database, beforeMs: number): Promise<Pick<StoredMonitor, "id" | "locations">[]> {
  return trx("monitors")
    .where("deletedAtMs", "<", beforeMs)
    .delete()
    .returning<Pick<StoredMonitor, "id" | "locations">[]>(["id", "locations"]);
}

export type LongUnchecked = MonitorTiming & {
  status: MonitorStatus;
  figuresVersion: number;
  /** Newer figures may have been published. */
  lastCheckedAtMs: number | null;
};

/** The last stored check is more than two intervals old, so three slots may be missed. */
export async function findLongUnchecked(db: Database, nowMs: number): Promise<LongUnchecked[]> {
  const { rows } = await db.raw<{ rows: LongUnchecked[] }>(
    `select id, monitors.status, interval_ms, timeout_ms,
            active_since_ms, figures_version,
            max(checked_at_ms) as last_checked_at_ms
     from monitors left join figures on monitor_id = id and figures.version >= figures_version
     where deleted_at_ms is null and active_since_ms is not null and config->>'type' <> all(:passive)
     group by monitors.id
     having coalesce(max(checked_at_ms), 0) + 2 * interval_ms < :nowMs
        and (active_since_ms + 2 * interval_ms < :nowMs or active_since_ms > :nowMs)`,
    { nowMs: Math.round(nowMs), passive: passiveTypes },
  );
  return rows;
}

export async function countByStatus(db: Database): Promise<Record<MonitorStatus | "slow", number>> {
  const rows = await db("monitors")
    .whereNull("deletedAtMs")
    .select<{ status: MonitorStatus; count: number; slow: number }[]>(
      "status",
      db.raw("count(*) as count, count(slow_since_ms) as slow"),
    )
    .groupBy("status");
  const counts = { pending: 0, up: 0, down: 0, paused: 0, slow: 0 };
  for (const { status, count, slow } of rows) {
    counts[status] = count;
    counts.slow += slow;
  }
  return counts;
}

export async function countByLocation(db: Database): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { name: string; monitors: number }[] }>(
    `select location as name, count(*)::int as monitors from monitors, unnest(locations) as location
     where deleted_at_ms is null and active_since_ms is not null and location <> ? group by location`,
    [heartbeatLocation],
  );
  return new Map(rows.map(({ name, monitors }) => [name, monitors]));
}
