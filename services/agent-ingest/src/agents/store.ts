import { AppError } from "@sonde/kit/errors";
import { oneOf } from "@sonde/kit/one-of";
import type { Database } from "@sonde/kit/postgres/database";
import {
  type AgentsQuery,
  type agentFigureSorts,
  type AgentStatus,
  agentStatuses,
} from "@sonde/proto/http/agents/agents";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { EditableFields, RegisteredHost, StoredAgent } from "./agent.ts";

/** A row of `agents` as PostgreSQL gives it. */
export type AgentRow = {
  id: number;
  name: string;
  hostname: string;
  ip_addresses: string[];
  os: string;
  version: string;
  interval_ms: number;
  depends_on: TargetRef[];
  status: string;
  status_since_ms: number;
  revision: number;
  created_at_ms: number;
  updated_at_ms: number;
  duplicate_key_at_ms: number | null;
  incidents_held_back_at_ms: number | null;
  deleted_at_ms: number | null;
};

const readStatus = oneOf(agentStatuses, "status of an agent");

export function readRow(row: AgentRow): StoredAgent {
  return {
    id: row.id,
    name: row.name,
    hostname: row.hostname,
    ipAddresses: row.ip_addresses,
    os: row.os,
    version: row.version,
    intervalMs: row.interval_ms,
    dependsOn: row.depends_on,
    status: readStatus(row.status),
    statusSinceMs: row.status_since_ms,
    revision: row.revision,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    duplicateKeyAtMs: row.duplicate_key_at_ms,
    incidentsHeldBackAtMs: row.incidents_held_back_at_ms,
  };
}

const writeRow = (agent: Partial<RegisteredHost & EditableFields>) => ({
  name: agent.name,
  hostname: agent.hostname,
  ip_addresses: agent.ipAddresses,
  os: agent.os,
  version: agent.version,
  interval_ms: agent.intervalMs === undefined ? undefined : Math.round(agent.intervalMs),
  depends_on: agent.dependsOn === undefined ? undefined : (JSON.stringify(agent.dependsOn) as unknown as TargetRef[]),
});

// PostgreSQL's largest integer; a greater id is not found rather than a fault.
const maxId = 2_147_483_647;

function found(row: AgentRow | undefined, id: number): StoredAgent {
  if (row === undefined) throw new AppError("not_found", "Agent with ID {id} not found", { params: { id } });
  return readRow(row);
}

/** @throws AppError not_found */
export async function findAgent(db: Database, id: number): Promise<StoredAgent> {
  if (id > maxId) return found(undefined, id);
  return found(await db<AgentRow>("agents").where({ id }).whereNull("deleted_at_ms").first(), id);
}

/** The same, locked until the transaction ends. */
export async function lockAgent(trx: Database, id: number): Promise<StoredAgent> {
  if (id > maxId) return found(undefined, id);
  return found(await trx<AgentRow>("agents").where({ id }).whereNull("deleted_at_ms").forUpdate().first(), id);
}

const nextRevision = (db: Database) => db.raw("nextval('revisions')");

export async function insertAgent(trx: Database, agent: RegisteredHost, atMs: number): Promise<StoredAgent> {
  const times = { status: "connecting", status_since_ms: atMs, created_at_ms: atMs, updated_at_ms: atMs };
  const [row] = await trx<AgentRow>("agents")
    .insert({ ...writeRow(agent), ...times, revision: nextRevision(trx) })
    .returning("*");
  return found(row, 0);
}

/** Changes an agent's own facts, or what users edit; absent fields stay. */
export async function updateAgent(
  trx: Database,
  id: number,
  agent: Partial<RegisteredHost & EditableFields>,
  atMs: number,
): Promise<StoredAgent> {
  const [row] = await trx<AgentRow>("agents")
    .where({ id })
    .update({ ...writeRow(agent), updated_at_ms: atMs, revision: nextRevision(trx) })
    .returning("*");
  return found(row, id);
}

/** Its old key is refused from now on, also from the other machine that used it. */
export async function clearDuplicateKey(trx: Database, id: number): Promise<void> {
  await trx("agents").where({ id }).update({ duplicate_key_at_ms: null });
}

/** Leaves a tombstone that holds nothing of the host, but for the name that its incidents show. */
export async function markAgentDeleted(trx: Database, id: number, atMs: number): Promise<StoredAgent> {
  const empty = { hostname: "", ip_addresses: [], os: "", version: "" };
  const [row] = await trx<AgentRow>("agents")
    .where({ id })
    .update({ ...empty, ...writeRow({ dependsOn: [] }), deleted_at_ms: atMs, revision: nextRevision(trx) })
    .returning("*");
  await trx("readings").where({ agent_id: id }).delete();
  await trx("tokens").where({ agent_id: id }).delete();
  return found(row, id);
}

/** Ids whose tombstones are old enough to delete. */
export async function deletedBefore(trx: Database, beforeMs: number): Promise<number[]> {
  return trx("agents").where("deleted_at_ms", "<", beforeMs).pluck<number[]>("id");
}

/** Deletes them, with their incidents and keys. */
export async function purgeAgents(trx: Database, ids: readonly number[]): Promise<void> {
  await trx("agents")
    .whereRaw("id = any(?)", [[...ids]])
    .delete();
}

// The order of urgency; an unknown sort is a fault of the caller that the gateway refused before.
const sorts: Readonly<Record<string, string>> = {
  name: "lower(name)",
  hostname: "lower(hostname)",
  createdAt: "created_at_ms",
  status: "array_position(array['offline', 'connecting', 'online'], status)",
  lastSeen: "coalesce(last_seen_ms, 0)",
};
const figureSorts: Readonly<Record<string, string>> = {
  cpu: "cpu_usage",
  memory: "memory_usage",
  disk: "disk_usage",
  network: "network_rate",
  load: "load_one",
} satisfies Record<(typeof agentFigureSorts)[number], string>;

/** The SQL of an order; agents without a figure come last in both directions. Without a known field: by name. */
function orderOf(sort: string): string {
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const field = sort.replace(/^-/, "");
  const figure = figureSorts[field];
  if (figure !== undefined) return `${figure} ${direction} nulls last, agents.id ${direction}`;
  return `${sorts[field] ?? "lower(name)"} ${direction}, agents.id ${direction}`;
}

/** One page, in a stable order, and how many there are in all. */
export async function listAgents(
  db: Database,
  query: AgentsQuery & { ids: readonly number[] },
): Promise<{ agents: StoredAgent[]; total: number }> {
  const { search = "", sort = "" } = query;
  const wanted = () => {
    const rows = db<AgentRow>("agents").whereNull("deleted_at_ms");
    const like = `%${search.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;
    if (search !== "") {
      const places = "(name ilike ? or hostname ilike ? or array_to_string(ip_addresses, ' ') ilike ?)";
      rows.whereRaw(places, [like, like, like]);
    }
    if (query.status !== undefined) rows.where("status", query.status);
    if (query.ids.length > 0) rows.whereRaw("agents.id = any(?)", [[...query.ids]]);
    return rows;
  };
  const isListed = query.ids.length > 0 && sort === "";
  const [rows, counted] = await Promise.all([
    wanted()
      .leftJoin("readings", "readings.agent_id", "agents.id")
      .select<AgentRow[]>("agents.*")
      .orderByRaw(isListed ? "array_position(?::int[], agents.id)" : orderOf(sort), isListed ? [[...query.ids]] : [])
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize),
    wanted().count<{ count: number }[]>("* as count").first(),
  ]);
  return { agents: rows.map(readRow), total: counted?.count ?? 0 };
}

/** Offline ones first, the newest of them leading, then those with the highest usage. */
export async function findWorst(db: Database, limit: number): Promise<StoredAgent[]> {
  const rows = await db<AgentRow>("agents")
    .leftJoin("readings", "readings.agent_id", "agents.id")
    .whereNull("deleted_at_ms")
    .select<AgentRow[]>("agents.*")
    .orderByRaw(
      `case when status = 'offline' then -status_since_ms else 0 end,
       greatest(cpu_usage, memory_usage, disk_usage) desc nulls last, agents.id`,
    )
    .limit(limit);
  return rows.map(readRow);
}

export async function countByStatus(db: Database): Promise<Record<AgentStatus, number>> {
  const rows = await db<AgentRow>("agents")
    .whereNull("deleted_at_ms")
    .select<{ status: AgentStatus; count: number }[]>("status", db.raw("count(*) as count"))
    .groupBy("status");
  const counts = { online: 0, connecting: 0, offline: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}
