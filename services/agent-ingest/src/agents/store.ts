import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKeys, type EventInit } from "@sonde/kit/postgres/outbox";
import type { AgentsQuery, agentFigureSorts, AgentStatus } from "@sonde/proto/http/agents/agents";
import { maxId } from "@sonde/proto/http/envelope";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { buckets } from "@sonde/proto/streams";

/** What an agent reports about itself when it registers. */
export type RegisteredHost = {
  name: string;
  hostname: string;
  ipAddresses: string[];
  os: string;
  version: string;
  intervalMs: number;
};

/** A row of `agents`. */
export type StoredAgent = RegisteredHost & {
  id: number;
  /** What its host needs in order to work. */
  dependsOn: TargetRef[];
  tags: string[];
  status: AgentStatus;
  statusSinceMs: number;
  /** The position of the last sample that changed its state. */
  stateStream: string;
  stateMark: number;
  revision: number;
  createdAtMs: number;
  updatedAtMs: number;
  /** When two machines were last seen to report by its key. */
  duplicateKeyAtMs: number | null;
  /** When incidents of it were last deferred. */
  incidentsHeldBackAtMs: number | null;
  deletedAtMs: number | null;
};

type AgentChange = "registered" | "renamed" | "updated" | "deleted" | "state";

/** The event that an agent was added, edited or deleted, or changed its state. */
export function createAgentEvent(
  { id, name, revision, status, statusSinceMs }: StoredAgent,
  change: AgentChange,
  previousStatus: string,
  atMs: number,
): EventInit {
  const value = { agentId: id, name, change, status, previousStatus, statusSinceMs };
  return { id: `a${id}:${revision}:${change === "state" ? status : change}`, atMs, fact: { case: "agent", value } };
}

/** Publishes the changed keys of these hashes to the bucket. */
export const publishKeys = (trx: Database, hashes: readonly string[]): Promise<void> =>
  enqueueKeys(
    trx,
    hashes.map((key) => ({ bucket: buckets.agents, key })),
  );

function found(row: StoredAgent | undefined, id: number): StoredAgent {
  if (row === undefined) throw new AppError("not_found", "Agent with ID {id} not found", { params: { id } });
  return row;
}

/** @throws AppError not_found */
export async function findAgent(db: Database, id: number): Promise<StoredAgent> {
  if (id > maxId) return found(undefined, id);
  return found(await db<StoredAgent>("agents").where({ id }).whereNull("deletedAtMs").first(), id);
}

/** The same, locked until the transaction ends. */
export async function lockAgent(trx: Database, id: number): Promise<StoredAgent> {
  if (id > maxId) return found(undefined, id);
  return found(await trx<StoredAgent>("agents").where({ id }).whereNull("deletedAtMs").forUpdate().first(), id);
}

const nextRevision = (db: Database) => db.raw("nextval('revisions')");

export async function insertAgent(trx: Database, agent: RegisteredHost, atMs: number): Promise<StoredAgent> {
  const times = { status: "connecting", statusSinceMs: atMs, createdAtMs: atMs, updatedAtMs: atMs };
  const [row] = await trx("agents")
    .insert({ ...agent, ...times, revision: nextRevision(trx) })
    .returning<StoredAgent[]>("*");
  return found(row, 0);
}

/** Changes an agent's own facts, or what users edit; absent fields stay. */
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
  return found(row, id);
}

/** Leaves a tombstone that holds nothing of the host, but for the name that its incidents show. */
export async function markAgentDeleted(trx: Database, id: number, atMs: number): Promise<StoredAgent> {
  const empty = { hostname: "", ipAddresses: [], os: "", version: "", dependsOn: "[]", tags: [] };
  const [row] = await trx("agents")
    .where({ id })
    .update({ ...empty, deletedAtMs: atMs, revision: nextRevision(trx) })
    .returning<StoredAgent[]>("*");
  await trx("readings").where({ agentId: id }).delete();
  await trx("tokens").where({ agentId: id }).delete();
  return found(row, id);
}

/** Ids whose tombstones are old enough to delete. */
export async function deletedBefore(trx: Database, beforeMs: number): Promise<number[]> {
  return trx("agents").where("deletedAtMs", "<", beforeMs).pluck<number[]>("id");
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

const highestUsage = "greatest(cpu_usage, memory_usage, disk_usage)";

/** The SQL of an order; agents without a figure come last in both directions. Without a known field: by name. */
function orderOf(sort: string): string {
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const field = sort.replace(/^-/, "");
  const figure = figureSorts[field];
  if (figure !== undefined) return `${figure} ${direction} nulls last, agents.id ${direction}`;
  // Most are in the same state: among them the busiest come first.
  const tie = field === "status" ? `${highestUsage} desc nulls last, ` : "";
  return `${sorts[field] ?? "lower(name)"} ${direction}, ${tie}agents.id ${direction}`;
}

/** One page, in a stable order, and how many there are in all. */
export async function listAgents(
  db: Database,
  query: Omit<AgentsQuery, "ids"> & { ids: readonly number[] },
): Promise<{ agents: StoredAgent[]; total: number }> {
  const { search = "", sort = "" } = query;
  const wanted = () => {
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
    wanted()
      .leftJoin("readings", "readings.agentId", "agents.id")
      .select<StoredAgent[]>("agents.*")
      .orderByRaw(isListed ? "array_position(?::int[], agents.id)" : orderOf(sort), isListed ? [[...query.ids]] : [])
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize),
    wanted().count<{ count: number }[]>("* as count").first(),
  ]);
  return { agents: rows, total: counted?.count ?? 0 };
}

/** Offline ones first, the newest of them leading, then those with the highest usage. */
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

/** The tags of all agents, those of most first, `limit` at most. */
export async function selectTags(db: Database, limit: number): Promise<{ name: string; agents: number }[]> {
  const { rows } = await db.raw<{ rows: { name: string; agents: number }[] }>(
    `select tag as name, count(*) as agents from agents, unnest(tags) as tag
     where deleted_at_ms is null group by tag order by count(*) desc, tag limit ?`,
    [limit],
  );
  return rows;
}
