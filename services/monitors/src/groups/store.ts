import type { Database } from "@sonde/kit/postgres/database";
import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import type { StoredMonitor } from "../monitors/monitor.ts";
import type { GroupSpan, MemberFacts, SpanState } from "./decide.ts";

/** More members of a tag do not count. */
const maxOfTag = 1_000;
const historyMs = 400 * 24 * 3_600_000;
const factsMs = 24 * 3_600_000;

export const isGroup = "config->>'type' = 'group' and deleted_at_ms is null";

/** SQL: whether `member` belongs to `grouping`, both rows of `monitors`. Tags select no groups, so they form no cycle. */
export const isMember = (grouping: string, member: string) => `(${grouping}.config->'members' @> to_jsonb(${member}.id)
  or (${grouping}.config->>'tag' = any(${member}.tags) and ${member}.config->>'type' <> 'group'))`;

export type StatusChange = {
  monitorId: number;
  atMs: number;
  previous: MonitorStatus;
  status: MemberFacts["status"];
  tags: readonly string[];
};

/**
 * Call it in the transaction of the change, which has locked the monitor. Times of a monitor never go back, even if the
 * clock does.
 */
export async function noteChanges(trx: Database, changes: readonly StatusChange[]): Promise<void> {
  if (changes.length === 0) return;
  await trx.raw(
    `insert into status_changes (monitor_id, at_ms, previous, status, tags)
     select id, greatest(at_ms, (select max(at_ms) from status_changes where monitor_id = given.id)), previous, status, tags
     from jsonb_to_recordset(?::jsonb) as given (id integer, at_ms bigint, previous text, status text, tags text[])`,
    [
      JSON.stringify(
        changes.map(({ monitorId, atMs, tags, ...change }) => ({
          ...change,
          id: monitorId,
          at_ms: Math.round(atMs),
          tags: [...new Set(tags)],
        })),
      ),
    ],
  );
}

/** The groups of these monitors are decided again from `atMs` on. */
export async function noteMaintenance(db: Database, ids: readonly number[], atMs: number): Promise<void> {
  await db.raw(
    `insert into status_changes (monitor_id, at_ms, previous, status, tags)
     select id, ?, status, status, tags from monitors where id = any(?::int[]) and deleted_at_ms is null`,
    [Math.round(atMs), [...ids]],
  );
}

export const undecidedChanges = (db: Database, limit: number): Promise<number[]> =>
  db("status_changes").whereRaw("not is_decided").orderBy("id").limit(limit).pluck<number[]>("id");

export const markDecided = (db: Database, ids: readonly number[]): Promise<unknown> =>
  db("status_changes")
    .whereRaw("id = any(?::bigint[])", [[...ids]])
    .update({ isDecided: true });

/** The groups that these changes may affect, and since when, ascending. */
export async function affectedGroups(
  db: Database,
  changeIds: readonly number[],
): Promise<{ id: number; fromMs: number }[]> {
  const { rows } = await db.raw<{ rows: { id: number; fromMs: number }[] }>(
    `select grouping.id, min(at_ms) as from_ms
     from status_changes change join monitors as grouping
       on grouping.config->>'type' = 'group' and grouping.deleted_at_ms is null and (
         grouping.id = monitor_id or grouping.config->'members' @> to_jsonb(monitor_id)
         or grouping.config->>'tag' = any(change.tags))
     where change.id = any(?::bigint[]) group by grouping.id order by grouping.id`,
    [[...changeIds]],
  );
  return rows;
}

type MemberRow = { id: number; name: string; status: MonitorStatus; changes: [number, MonitorStatus, MonitorStatus][] };

/** One statement, so that statuses and changes are of the same instant. */
export async function readMembers(
  trx: Database,
  groupId: number,
  sinceMs: number,
): Promise<(Omit<MemberFacts, "maintenance"> & { name: string })[]> {
  const { rows } = await trx.raw<{ rows: MemberRow[] }>(
    `select member.id, member.name, member.status, coalesce((
       select jsonb_agg(jsonb_build_array(at_ms, previous, status) order by at_ms, id) from status_changes
       where monitor_id = member.id and at_ms > ? and previous <> status), '[]') as changes
     from monitors as grouping join monitors as member on ${isMember("grouping", "member")}
     where grouping.id = ? and member.deleted_at_ms is null order by member.id limit ?`,
    [Math.round(sinceMs), groupId, maxOfTag],
  );
  return rows.map(({ id, name, status, changes }) => ({
    id,
    name,
    status: changes[0]?.[1] ?? status,
    changes: changes.map(([atMs, , to]) => ({ atMs, status: to })),
  }));
}

/** The newest state, or that before `beforeMs`. */
export async function lastState(trx: Database, groupId: number, beforeMs?: number): Promise<SpanState | undefined> {
  const rows = trx("group_spans").where({ groupId });
  if (beforeMs !== undefined) void rows.where("fromMs", "<", beforeMs);
  const newest = rows.orderBy("fromMs", "desc").orderBy("id", "desc");
  return (await newest.first<{ state: SpanState } | undefined>("state"))?.state;
}

/** Replaces the states from `fromMs` on. */
export async function replaceSpans(
  trx: Database,
  groupId: number,
  fromMs: number,
  spans: readonly (GroupSpan & { cause: string | null })[],
): Promise<void> {
  await trx("group_spans").where({ groupId }).where("fromMs", ">=", fromMs).delete();
  if (spans.length > 0) await trx("group_spans").insert(spans.map((span) => ({ ...span, groupId })));
}

/** In order of time, from the one that includes `fromMs` on. */
export async function spansSince(
  db: Database,
  groupIds: readonly number[],
  fromMs: number,
): Promise<Map<number, GroupSpan[]>> {
  const rows = await db("group_spans as span")
    .whereRaw("group_id = any(?::int[])", [[...groupIds]])
    .whereRaw(
      "from_ms >= coalesce((select max(from_ms) from group_spans where group_id = span.group_id and from_ms <= ?), 0)",
      [Math.round(fromMs)],
    )
    .orderBy("fromMs")
    .orderBy("id")
    .select<(GroupSpan & { groupId: number })[]>("groupId", "fromMs", "state");
  return Map.groupBy(rows, ({ groupId }) => groupId);
}

/** Statuses of the members of each group. */
export async function countMembers(
  db: Database,
  groupIds: readonly number[],
): Promise<{ groupId: number; id: number; status: MonitorStatus }[]> {
  const { rows } = await db.raw<{ rows: { groupId: number; id: number; status: MonitorStatus }[] }>(
    `select grouping.id as group_id, member.id, member.status
     from monitors as grouping join monitors as member on ${isMember("grouping", "member")}
     where grouping.id = any(?::int[]) and member.deleted_at_ms is null`,
    [[...groupIds]],
  );
  return rows;
}

export const flappingGroups = (db: Database): Promise<number[]> =>
  db("monitors").whereRaw(`${isGroup} and flapping_since_ms is not null`).orderBy("id").pluck<number[]>("id");

/** Removes deleted monitors from the groups that list them. A group without members stays, as pending. */
export async function removeMembers(trx: Database, ids: readonly number[]): Promise<StoredMonitor[]> {
  const { rows } = await trx.raw<{ rows: StoredMonitor[] }>(
    `update monitors set revision = nextval('revisions'), config = config
       || jsonb_build_object('members', kept.members)
       || case when jsonb_typeof(config->'need') = 'number' then jsonb_build_object(
            'need', least((config->>'need')::int, greatest(1, jsonb_array_length(kept.members)))) else '{}' end
     from (
       select id as group_id, (
         select coalesce(jsonb_agg(member order by place), '[]')
         from jsonb_array_elements(config->'members') with ordinality as listed (member, place)
         where member::int <> all(:ids::int[])) as members
       from monitors where ${isGroup}) as kept
     where id = kept.group_id and jsonb_array_length(kept.members) < jsonb_array_length(config->'members')
     returning monitors.*`,
    { ids: [...ids] },
  );
  return rows;
}

export async function pruneGroupFacts(db: Database, nowMs: number): Promise<void> {
  await db("status_changes")
    .whereRaw("is_decided and at_ms < ?", [nowMs - factsMs])
    .delete();
  await db.raw(
    `delete from group_spans old using group_spans later
     where later.group_id = old.group_id and later.from_ms > old.from_ms and later.from_ms < ?`,
    [nowMs - historyMs],
  );
}
