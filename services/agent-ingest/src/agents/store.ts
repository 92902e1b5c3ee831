import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKeys, type EventInit } from "@sonde/kit/postgres/outbox";
import type { AgentsQuery, agentFigureSorts, AgentStatus } from "@sonde/proto/http/agents/agents";
import { maxId } from "@sonde/proto/http/envelope";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { buckets } from "@sonde/proto/streams";

export type RegisteredHost = {
  name: string;
  hostname: string;
  ipAddresses: string[];
  os: string;
  version: string;
  intervalMs: number;
};

export type StoredAgent = RegisteredHost & {
  id: number;
  dependsOn: TargetRef[];
  tags: string[];
  status: AgentStatus;
  statusSinceMs: number;
  /** Position of the last sample that changed its state. */
  stateStream: string;
  stateMark: number;
  revision: number;
  createdAtMs: number;
  updatedAtMs: number;
  /** When two machines last reported with its key. */
  duplicateKeyAtMs: number | null;
  incidentsHeldBackAtMs: number | null;
  deletedAtMs: number | null;
};

type AgentChange = "registered" | "renamed" | "updated" | "deleted" | "state";

export function createAgentEvent(
  { id, name, revision, status, statusSinceMs }: StoredAgent,
  change: AgentChange,
  previousStatus: string,
  atMs: number,
): EventInit {
  const value = { agentId: id, name, change, status, previousStatus, statusSinceMs };
  return { id: `a${id}:${revision}:${change === "state" ? status : change}`, atMs, fact: { case: "agent", value } };
}

export const publishKeys = (trx: Database, hashes: readonly string[]): Promise<void> =>
  enqueueKeys(
    trx,
    hashes.map((key) => ({ bucket: buckets.agents, key })),
  );

function orThrow(row: StoredAgent | undefined, id: number): StoredAgent {
  if (row === undefined) throw new AppError("not_found", "Agent with ID {id} not found", { params: { id } });
  return row;
}

/** @throws AppError not_found */
export async function findAgent(db: Database, id: number): Promise<StoredAgent> {
  if (id > maxId) return orThrow(undefined, id);
  return orThrow(await db<StoredAgent>("agents").where({ id }).whereNull("deletedAtMs").first(), id);
}

/** @throws AppError not_found */
export async function lockAgent(trx: Database, id: number): Promise<StoredAgent> {
  if (id > maxId) return orThrow(undefined, id);
  return orThrow(await trx<StoredAgent>("agents").where({ id }).whereNull("deletedAtMs").forUpdate().first(), id);
}

const nextRevision = (db: Database) => db.raw("nextval('revisions')");

export async function insertAgent(trx: Database, agent: RegisteredHost, atMs: number): Promise<StoredAgent> {
  const times = { status: "connecting", statusSinceMs: atMs, createdAtMs: atMs, updatedAtMs: atMs };
  const [row] = await trx("agents")
    .insert({ ...agent, ...times, revision: nextRevision(trx) })
    .returning<StoredAgent[]>("*");
  return orThrow(row, 0);
}

/** Absent fields stay. */
export async function updateAgent(
  trx: Database,
  id: number,
  { dependsOn, ...host }: Partial<RegisteredHost & Pick<StoredAgent, "dependsOn" | "tags" | "duplicateKeyAtMs">>,
  atMs: number,
): Promise<StoredAgent> {
  const [row] = await trx("agents")
    .where({ id })
    .update({
      ...host,
      dependsOn: dependsOn && JSON.stringify(dependsOn),
      updatedAtMs: atMs,
      revision: nextRevision(trx),
    })
    .returning<StoredAgent[]>("*");
  return orThrow(row, id);
}

/** Leaves a tombstone with only the name, because incidents show it. */
export async function markAgentDeleted(trx: Database, id: number, atMs: number): Promise<StoredAgent> {
  const empty = { hostname: "", ipAddresses: [], os: "", version: "", dependsOn: "[]", tags: [] };
  const [row] = await trx("agents")
    .where({ id })
    .update({ ...empty, deletedAtMs: atMs, revision: nextRevision(trx) })
    .returning<StoredAgent[]>("*");
  await trx("readings").where({ agentId: id }).delete();
  await trx("tokens").where({ agentId: id }).delete();
  return orThrow(row, id);
}

export async function deletedBefore(trx: Database, beforeMs: number): Promise<number[]> {
  return trx("agents").where("deletedAtMs", "<", beforeMs).pluck<number[]>("id");
}

/** Also deletes their incidents and keys. */
export async function purgeAgents(trx: Database, ids: readonly number[]): Promise<void> {
  await trx("agents")
    .whereRaw("id = any(?)", [[...ids]])
    .delete();
}

// The gateway has already rejected unknown sorts.
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

const highestUsage = "greatest(cpu_usage, memory_usage, disk_usage)";

/** Agents without a figure come last in both directions. Unknown fields sort by name. */
function orderOf(sort: string): string {
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const field = sort.replace(/^-/, "");
  const figure = figureSorts[field];
  if (figure !== undefined) return `${figure} ${direction} nulls last, agents.id ${direction}`;
  // Most agents have the same status; among them the busiest come first.
  const tie = field === "status" ? `${highestUsage} desc nulls last, ` : "";
  return `${sorts[field] ?? "lower(name)"} ${direction}, ${tie}agents.id ${direction}`;
}

export async function listAgents(
  db: Database,
  query: Omit<AgentsQuery, "ids"> & { ids: readonly number[] },
): Promise<{ agents: StoredAgent[]; total: number }> {
  const { search = "", sort = "" } = query;
  const matches = () => {
    const rows = db<StoredAgent>("agents").whereNull("deletedAtMs");
    const like = `%${search.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;
    if (search !== "") {
      const places = "(name ilike ? or hostname ilike ? or array_to_string(ip_addresses, ' ') ilike ?)";
      rows.whereRaw(places, [like, like, like]);
    }
    if (query.status !== undefined) rows.where("status", query.status);
    if (query.tag !== undefined) rows.whereRaw("? = any(tags)", [query.tag.replaceAll("\0", "")]);
    if (query.ids.length > 0) rows.whereRaw("agents.id = any(?)", [[...query.ids]]);
    return rows;
  };
  const isListed = query.ids.length > 0 && sort === "";
  const [rows, counted] = await Promise.all([
    matches()
      .leftJoin("readings", "readings.agentId", "agents.id")
      .select<StoredAgent[]>("agents.*")
      .orderByRaw(isListed ? "array_position(?::int[], agents.id)" : orderOf(sort), isListed ? [[...query.ids]] : [])
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize),
    matches().count<{ count: number }[]>("* as count").first(),
  ]);
  return { agents: rows, total: counted?.count ?? 0 };
}

/** Most recently offline first, then highest usage. */
export function findWorst(db: Database, limit: number): Promise<StoredAgent[]> {
  return db<StoredAgent>("agents")
    .leftJoin("readings", "readings.agentId", "agents.id")
    .whereNull("deletedAtMs")
    .select<StoredAgent[]>("agents.*")
    .orderByRaw(
      `case when status = 'offline' then -status_since_ms else 0 end,
       ${highestUsage} desc nulls last, agents.id`,
    )
    .limit(limit);
}

export async function countByStatus(db: Database): Promise<Record<AgentStatus, number>> {
  const rows = await db<StoredAgent>("agents")
    .whereNull("deletedAtMs")
    .select<{ status: AgentStatus; count: number }[]>("status", db.raw("count(*) as count"))
    .groupBy("status");
  const counts = { online: 0, connecting: 0, offline: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}

/** Most used first. */
export async function selectTags(db: Database, limit: number): Promise<{ name: string; agents: number }[]> {
  const { rows } = await db.raw<{ rows: { name: string; agents: number }[] }>(
    `select tag as name, count(*) as agents from agents, unnest(tags) as tag
     where deleted_at_ms is null group by tag order by count(*) desc, tag limit ?`,
    [limit],
  );
  return rows;
}
