import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { MonitorStatus } from "@sonde/proto/http/monitors";
import type { Due } from "../state/stale.ts";
import type { Definition, StoredMonitor } from "./monitor.ts";
import { compactColumns, compactConfig, type MonitorRow, readRow, writeRow } from "./rows.ts";
import type { NextState } from "./next-state.ts";

// PostgreSQL's integer; a greater number is nobody's id, and no reason for a fault.
const maxId = 2_147_483_647;

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

/** Ids whose tombstones stood long enough; they are gone now, with their incidents. */
export async function purgeTombstones(trx: Database, beforeMs: number): Promise<number[]> {
  const rows = await trx("monitors").where("deleted_at_ms", "<", beforeMs).delete().returning<{ id: number }[]>("id");
  return rows.map(({ id }) => id);
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

export type MonitorQuery = {
  page: number;
  pageSize: number;
  search: string;
  sort: string;
  /** A status, or `stale`; those that are stale are listed as such alone. */
  status: string;
  tag: string;
  ids: readonly number[];
  /** Without the fields of checks that may be large. */
  compact: boolean;
};

// The order of urgency; an unknown sort is a fault of the caller that the gateway refused before.
const sorts: Readonly<Record<string, string>> = {
  name: "lower(name)",
  target: "lower(target)",
  url: "lower(target)",
  createdAt: "created_at_ms",
  // Where `stale` holds their ids.
  status: "case when id = any(?) then 2 else array_position(array['down', '', 'pending', 'up', 'paused'], status) end",
  statusSince: "status_since_ms",
};

export type MonitorPage = {
  /** The page's first monitors, as many as fit into one message of the bus, and at least one. */
  monitors: StoredMonitor[];
  /** The ids of the others, in order. */
  restIds: number[];
  /** How many there are in all. */
  total: number;
};

/** One page, in a stable order. `stale`: the ids of those that are, where state is asked for. */
export async function listMonitors(db: Database, query: MonitorQuery, stale: number[]): Promise<MonitorPage> {
  const asked = query.ids.filter((id) => id <= maxId);
  const wanted = () => {
    const rows = db<MonitorRow>("monitors").whereNull("deleted_at_ms");
    const like = `%${query.search.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;
    if (query.search !== "") rows.whereRaw("(name ilike ? or target ilike ?)", [like, like]);
    if (query.status === "stale") rows.whereRaw("id = any(?)", [stale]);
    else if (query.status !== "") rows.where("status", query.status).whereRaw("id <> all(?)", [stale]);
    if (query.tag !== "") rows.whereRaw("? = any(tags)", [query.tag.replaceAll("\0", "")]);
    if (query.ids.length > 0) rows.whereRaw("id = any(?)", [asked]);
    return rows;
  };
  const direction = query.sort.startsWith("-") ? "desc" : "asc";
  const order = sorts[query.sort.replace(/^-/, "")] ?? "lower(name)";
  const sorted = () =>
    query.ids.length > 0 && query.sort === ""
      ? wanted().orderByRaw("array_position(?::int[], id)", [asked])
      : wanted().orderByRaw(`${order} ${direction}, id ${direction}`, order.includes("?") ? [stale] : []);
  const [ids, counted] = await Promise.all([
    sorted()
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .pluck<number[]>("id"),
    wanted().count<{ count: number }[]>("* as count").first(),
  ]);
  const monitors = await readFitting(db, ids, query.compact);
  const restIds = ids.slice(ids.indexOf(monitors.at(-1)?.id ?? 0) + 1);
  return { monitors, restIds: monitors.length === 0 ? [] : restIds, total: counted?.count ?? 0 };
}

const mostBytes = 512 * 1024;
/** What a row weighs on the bus; the rest of its columns are small. */
const rowBytes = (config: string) =>
  `1000 + octet_length(name) + octet_length(target) + octet_length(tags::text) + octet_length(locations::text)
   + octet_length(note) + octet_length(depends_on::text)
   + octet_length((${config})::text)`;
/** The first of these monitors, in this order, that weigh less than half a message together; the first in any case. */
async function readFitting(db: Database, ids: readonly number[], compact: boolean): Promise<StoredMonitor[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.raw<{ rows: MonitorRow[] }>(
    `select ${compact ? compactColumns : "monitors.*"} from monitors join (
      select id, place, sum(${rowBytes(compact ? compactConfig : "config")}) over (order by place) as running,
        row_number() over (order by place) as nth
      from monitors join unnest(?::int[]) with ordinality as page (page_id, place) on id = page_id
    ) as sized using (id) where running <= ? or nth = 1 order by place`,
    [[...ids], mostBytes],
  );
  return rows.map(readRow);
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
