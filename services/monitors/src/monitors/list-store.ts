import type { Database } from "@sonde/kit/postgres/database";
import type { StoredMonitor } from "./monitor.ts";
import { compactColumns, compactConfig, type MonitorRow, readRow } from "./rows.ts";
import { maxId } from "./store.ts";

/** Which monitors are meant; an empty text filters nothing. */
export type MonitorFilter = {
  /** Part of the name or of the target. */
  search: string;
  /**
   * A status; `stale`, which lists those that are, and they are listed under no other status; `active`: all but paused
   * ones; `expiring`: active ones whose certificate ends soon.
   */
  status: string;
  tag: string;
  /** Only these, where there are any. */
  ids?: readonly number[];
};

export type MonitorQuery = MonitorFilter & {
  page: number;
  pageSize: number;
  sort: string;
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
};

/** A location saw a certificate that ends within 14 days, as the dashboard counts them. */
const endsSoon = `exists (select from figures where monitor_id = monitors.id and figures.version >= figures_version
  and certificate_expires_at_ms < extract(epoch from now() + interval '14 days') * 1000)`;

/** The rows that match. `stale`: the ids of those that are, where state is asked for. */
function matching(db: Database, { search, status, tag, ids = [] }: MonitorFilter, stale: readonly number[]) {
  const rows = db<MonitorRow>("monitors").whereNull("deleted_at_ms");
  const like = containing(search);
  if (search !== "") rows.whereRaw("(name ilike ? or target ilike ?)", [like, like]);
  if (status === "stale") rows.whereRaw("id = any(?)", [[...stale]]);
  else if (status === "active" || status === "expiring") {
    rows.whereNot("status", "paused");
    if (status === "expiring") rows.whereRaw(endsSoon);
  } else if (status !== "") rows.where("status", status).whereRaw("id <> all(?)", [[...stale]]);
  if (tag !== "") rows.whereRaw("? = any(tags)", [tag.replaceAll("\0", "")]);
  if (ids.length > 0) rows.whereRaw("id = any(?)", [knownIds(ids)]);
  return rows;
}

const knownIds = (ids: readonly number[]) => ids.filter((id) => id <= maxId);

/** A pattern of `ilike` for texts that hold this one. */
const containing = (text: string) => `%${text.replaceAll("\0", "").replace(/[\\%_]/g, "\\$&")}%`;

/** One page in a stable order, and how many match in all. */
export async function listMonitors(
  db: Database,
  query: MonitorQuery,
  stale: number[],
): Promise<MonitorPage & { total: number }> {
  const wanted = () => matching(db, query, stale);
  const direction = query.sort.startsWith("-") ? "desc" : "asc";
  const order = sorts[query.sort.replace(/^-/, "")] ?? "lower(name)";
  const sorted = () =>
    query.ids.length > 0 && query.sort === ""
      ? wanted().orderByRaw("array_position(?::int[], id)", [knownIds(query.ids)])
      : wanted().orderByRaw(`${order} ${direction}, id ${direction}`, order.includes("?") ? [stale] : []);
  const [ids, total] = await Promise.all([
    sorted()
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .pluck<number[]>("id"),
    count(wanted()),
  ]);
  return { ...(await readPage(db, ids, query.compact)), total };
}

/** The ids of those that match by name, `limit` at most, and how many match in all. */
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

/** What is stored of a monitor's newest check; null before the first. */
export type StoredResponseTime = {
  id: number;
  figuresVersion: number;
  checkedAtMs: number | null;
  responseTimeMs: number | null;
};

/** The stored response times of those that match, by name, `limit` at most. */
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
    .select<StoredResponseTime[]>({
      id: "id",
      figuresVersion: "figures_version",
      checkedAtMs: "checked_at_ms",
      responseTimeMs: "response_time_ms",
    });
}

/** The tags of all monitors, those of most first, `limit` at most. `search`: only those that hold it. */
export async function selectTags(
  db: Database,
  search: string,
  limit: number,
): Promise<{ name: string; monitors: number }[]> {
  const { rows } = await db.raw<{ rows: { name: string; monitors: number }[] }>(
    `select tag as name, count(*) as monitors from monitors, unnest(tags) as tag
     where deleted_at_ms is null and tag ilike ?
     group by tag order by count(*) desc, tag limit ?`,
    [containing(search), limit],
  );
  return rows;
}

async function count(rows: ReturnType<typeof matching>): Promise<number> {
  const counted = await rows.count<{ count: number }[]>("* as count").first();
  return counted?.count ?? 0;
}

const mostBytes = 512 * 1024;
/** What a row weighs on the bus; the rest of its columns are small. */
const rowBytes = (config: string) =>
  `1000 + octet_length(name) + octet_length(target) + octet_length(tags::text) + octet_length(locations::text)
   + octet_length(note) + octet_length(depends_on::text)
   + octet_length((${config})::text)`;
/** The first of these monitors, in this order, that weigh less than half a message together; the first in any case. */
export async function readPage(db: Database, ids: readonly number[], compact: boolean): Promise<MonitorPage> {
  if (ids.length === 0) return { monitors: [], restIds: [] };
  const { rows } = await db.raw<{ rows: MonitorRow[] }>(
    `select ${compact ? compactColumns : "monitors.*"} from monitors join (
      select id, place, sum(${rowBytes(compact ? compactConfig : "config")}) over (order by place) as running,
        row_number() over (order by place) as nth
      from monitors join unnest(?::int[]) with ordinality as page (page_id, place) on id = page_id
    ) as sized using (id) where running <= ? or nth = 1 order by place`,
    [[...ids], mostBytes],
  );
  const monitors = rows.map(readRow);
  return { monitors, restIds: monitors.length === 0 ? [] : ids.slice(ids.indexOf(monitors.at(-1)?.id ?? 0) + 1) };
}
