import type { Database } from "@sonde/kit/postgres/database";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { z } from "zod";
import { isMember } from "../groups/store.ts";
import type { StoredMonitor } from "./monitor.ts";
import { compactColumns, compactConfig, maxId } from "./store.ts";

/** See `proto/http/monitors/lists.ts`. */
export type MonitorQuery = z.output<(typeof monitorsContract)["methods"]["listMonitors"]["input"]>;
type MonitorFilter = Pick<MonitorQuery, "search" | "status" | "tag" | "untagged" | "type" | "group" | "slower" | "ids">;

// The gateway has already rejected unknown sorts.
const sorts: Readonly<Record<string, string>> = {
  name: "lower(name)",
  target: "lower(target)",
  url: "lower(target)",
  createdAt: "created_at_ms",
  // By urgency. The parameter is the ids of stale monitors.
  status: `case when id = any(?) then 2 when slow_since_ms is not null then 3.5
    else array_position(array['down', '', 'pending', 'up', 'paused'], status) end`,
  statusSince: "status_since_ms",
};

export type MonitorPage = {
  /** The first monitors of the page, as many as fit into one bus message, at least one. */
  monitors: StoredMonitor[];
  /** The rest of the page, in order. */
  restIds: number[];
};

/** A certificate seen from any location expires within 14 days, as on the dashboard. */
const expiresSoon = `exists (select from figures where monitor_id = monitors.id and figures.version >= figures_version
  and certificate_expires_at_ms < extract(epoch from now() + interval '14 days') * 1000)`;

function matching(db: Database, filter: MonitorFilter, stale: readonly number[]) {
  const { search = "", status, tag = "", untagged, type, group, slower, ids = [] } = filter;
  const rows = db("monitors").whereNull("deletedAtMs");
  const like = containing(search);
  if (search !== "") rows.whereRaw("(name ilike ? or target ilike ? or description ilike ?)", [like, like, like]);
  if (status === "stale") rows.whereRaw("id = any(?)", [[...stale]]);
  else if (status === "active" || status === "expiring") {
    rows.whereNot("status", "paused");
    if (status === "expiring") rows.whereRaw(expiresSoon);
  } else if (status === "slow") rows.whereNotNull("slowSinceMs").whereRaw("id <> all(?)", [[...stale]]);
  else if (status !== undefined) rows.where("status", status).whereRaw("id <> all(?)", [[...stale]]);
  if (tag !== "") rows.whereRaw("? = any(tags)", [tag.replaceAll("\0", "")]);
  if (untagged !== undefined) rows.whereRaw("tags = '{}'");
  if (type !== undefined) rows.whereRaw("config->>'type' = ?", [type]);
  if (group !== undefined)
    rows.whereRaw(
      `exists (select from monitors as grouping where grouping.id = ? and ${isMember("grouping", "monitors")})`,
      [Math.min(group, maxId)],
    );
  if (slower !== undefined)
    rows.whereRaw("status = 'up' and id = any(?) and id <> all(?)", [storableIds(slower), [...stale]]);
  if (ids.length > 0) rows.whereRaw("id = any(?)", [storableIds(ids)]);
  return rows;
}

const storableIds = (ids: readonly number[]) => ids.filter((id) => id <= maxId);

const containing = (text: string) => `%${text.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;

export async function listMonitors(
  db: Database,
  query: MonitorQuery,
  stale: number[],
): Promise<MonitorPage & { total: number }> {
  const matches = () => matching(db, query, stale);
  const { ids: requestedIds = [], sort } = query;
  const direction = sort?.startsWith("-") ? "desc" : "asc";
  const order = sorts[sort?.replace(/^-/, "") ?? "name"] ?? "lower(name)";
  // Most monitors have the same status, and among them users look for a name.
  const tie = order === sorts["status"] ? "lower(name), " : "";
  const sorted = () =>
    requestedIds.length > 0 && sort === undefined
      ? matches().orderByRaw("array_position(?::int[], id)", [storableIds(requestedIds)])
      : matches().orderByRaw(`${order} ${direction}, ${tie}id ${direction}`, order.includes("?") ? [stale] : []);
  const [ids, total] = await Promise.all([
    sorted()
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .pluck<number[]>("id"),
    count(matches()),
  ]);
  return { ...(await readPage(db, ids, query.compact === true)), total };
}

export async function matchMonitors(
  db: Database,
  filter: MonitorFilter,
  stale: readonly number[],
  limit: number,
): Promise<{ ids: number[]; total: number }> {
  const byName = matching(db, filter, stale).orderByRaw("lower(name), id").limit(limit);
  const [ids, total] = await Promise.all([byName.pluck<number[]>("id"), count(matching(db, filter, stale))]);
  return { ids, total };
}

type CountedState = "up" | "down" | "stale" | "pending" | "paused";

/** A stale monitor counts only as stale. */
export async function countByState(
  db: Database,
  filter: MonitorFilter,
  stale: readonly number[],
): Promise<Partial<Record<CountedState, number>> & { slow: number; groups: number }> {
  const rows = await matching(db, filter, stale)
    .select<{ state: CountedState; count: number; slow: number; groups: number }[]>(
      db.raw(
        `case when id = any(?) then 'stale' else status end as state, count(*) as count, count(slow_since_ms) as slow,
          count(*) filter (where config->>'type' = 'group') as groups`,
        [[...stale]],
      ),
    )
    .groupBy("state");
  const slow = rows.find(({ state }) => state === "up")?.slow ?? 0;
  const groups = rows.reduce((sum, row) => sum + row.groups, 0);
  return { ...Object.fromEntries(rows.map(({ state, count }) => [state, count])), slow, groups };
}

/** `null` before the first check. */
export type StoredResponseTime = {
  id: number;
  figuresVersion: number;
  checkedAtMs: number | null;
  responseTimeMs: number | null;
  isHeartbeat: boolean;
};

const isHeartbeat = "exists (select from heartbeats where monitor_id = monitors.id) as is_heartbeat";

/** In order of name. */
export async function selectResponseTimes(
  db: Database,
  filter: MonitorFilter,
  stale: readonly number[],
  limit: number,
): Promise<StoredResponseTime[]> {
  return matching(db, filter, stale)
    .joinRaw(
      `left join lateral (
         select checked_at_ms, response_time_ms from figures
         where monitor_id = monitors.id and figures.version >= figures_version
         order by checked_at_ms desc limit 1
       ) as newest on true`,
    )
    .orderByRaw("lower(name), id")
    .limit(limit)
    .select<StoredResponseTime[]>("id", "figuresVersion", "checkedAtMs", "responseTimeMs", db.raw(isHeartbeat));
}

/** Most used first. */
export async function selectTags(
  db: Database,
  search: string | undefined,
  limit: number,
): Promise<{ name: string; monitors: number; down: number }[]> {
  const { rows } = await db.raw<{ rows: { name: string; monitors: number; down: number }[] }>(
    `select tag as name, count(*) as monitors, count(*) filter (where status = 'down') as down from monitors, unnest(tags) as tag
     where deleted_at_ms is null and tag ilike ?
     group by tag order by count(*) desc, tag limit ?`,
    [containing(search ?? ""), limit],
  );
  return rows;
}

async function count(rows: ReturnType<typeof matching>): Promise<number> {
  const counted = await rows.count<{ count: number }[]>("* as count").first();
  return counted?.count ?? 0;
}

const maxBytes = 512 * 1024;
const rowBytes = (config: string) =>
  `1000 + octet_length((to_jsonb(monitors) - 'config')::text) + octet_length((${config})::text)`;
/** Returns the first monitors that together fit into half a bus message; at least one. */
export async function readPage(db: Database, ids: readonly number[], compact: boolean): Promise<MonitorPage> {
  if (ids.length === 0) return { monitors: [], restIds: [] };
  const { rows } = await db.raw<{ rows: StoredMonitor[] }>(
    `select ${compact ? compactColumns : "monitors.*"} from monitors join (
      select id, place, sum(${rowBytes(compact ? compactConfig : "config")}) over (order by place) as running,
        row_number() over (order by place) as nth
      from monitors join unnest(?::int[]) with ordinality as page (page_id, place) on id = page_id
    ) as sized using (id) where running <= ? or nth = 1 order by place`,
    [[...ids], maxBytes],
  );
  return { monitors: rows, restIds: rows.length === 0 ? [] : ids.slice(ids.indexOf(rows.at(-1)?.id ?? 0) + 1) };
}

/**
 * Returns the monitors in the worst state, most recently changed first, without paused ones.
 * @param stale ids of stale monitors
 */
export async function findWorst(db: Database, stale: readonly number[], limit: number): Promise<StoredMonitor[]> {
  // Rows are sorted by id first, because a check's configuration may be large.
  const { rows } = await db.raw<{ rows: StoredMonitor[] }>(
    `select ${compactColumns} from monitors join (
      select id, row_number() over () as place from (
        select id from monitors where deleted_at_ms is null and status <> 'paused'
        order by case when id = any(:stale::int[]) then 2 when status = 'down' then 1
          when flapping_since_ms is not null then 3 when slow_since_ms is not null then 4 when status = 'pending' then 5
          else 6 end,
          status_since_ms desc, id desc
        limit :limit
      ) as worst
    ) as placed using (id) order by place`,
    { stale: [...stale], limit },
  );
  return rows;
}

export type ExpiringCertificate = { monitorId: number; name: string; expiresAtMs: number };

/** Per monitor the certificate that expires first. */
const expiring = `select monitor_id, min(certificate_expires_at_ms) as expires_at_ms
  from figures join monitors on monitors.id = monitor_id and figures.version >= figures_version
  where deleted_at_ms is null and monitors.status <> 'paused' and certificate_expires_at_ms < :untilMs
  group by monitor_id`;

export async function findExpiringCertificates(
  db: Database,
  untilMs: number,
  limit: number,
): Promise<{ certificates: ExpiringCertificate[]; total: number }> {
  const { rows } = await db.raw<{ rows: (ExpiringCertificate & { total: number })[] }>(
    `select monitor_id, name, expires_at_ms, count(*) over () as total
     from (${expiring}) as certificates join monitors on monitors.id = monitor_id
     order by expires_at_ms, monitor_id limit :limit`,
    { untilMs: Math.round(untilMs), limit },
  );
  return { certificates: rows.map(({ total: _total, ...certificate }) => certificate), total: rows[0]?.total ?? 0 };
}
