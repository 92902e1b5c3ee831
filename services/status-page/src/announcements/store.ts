import type { Database } from "@sonde/kit/postgres/database";
import type { UpdateState, Impact } from "@sonde/proto/http/status/status";
import type { Announcement } from "@sonde/proto/http/status/announcements";
import type { statusContract } from "@sonde/proto/rpc/status";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { z } from "zod";
import { idsOf } from "../collect/targets.ts";

export const announcementOrder = "(resolved_at_ms is not null), created_at_ms desc, id desc";

/** Serialises creations and reopenings, which would otherwise both find room for one more. */
export async function countForUpdate(trx: Database): Promise<{ open: number; all: number }> {
  await trx.raw("select pg_advisory_xact_lock(hashtextextended('announcements', 0))");
  const { rows } = await trx.raw<{ rows: { open: number; all: number }[] }>(
    `select count(*) filter (where resolved_at_ms is null) as open, count(*) as all from announcements`,
  );
  return rows[0]!;
}

/** Counts announcements since an instant, and returns when the first was created. */
export async function countSince(trx: Database, sinceMs: number): Promise<{ count: number; oldestMs: number | null }> {
  const [row] = await trx("announcements")
    .where("created_at_ms", ">", sinceMs)
    .select<{ count: number; oldestMs: number | null }[]>(
      trx.raw('count(*) as count, min(created_at_ms) as "oldestMs"'),
    );
  return row!;
}

export async function insert(
  trx: Database,
  { nowMs, ...fields }: Fields & { state: UpdateState; nowMs: number },
): Promise<number> {
  const resolvedAtMs = fields.state === "resolved" ? nowMs : null;
  const [row] = await trx("announcements")
    .insert({ ...fields, createdAtMs: nowMs, updatedAtMs: nowMs, resolvedAtMs })
    .returning<{ id: number }[]>("id");
  return row!.id;
}

export const lock = (trx: Database, id: number): Promise<StoredAnnouncement | undefined> =>
  trx("announcements").where({ id }).forUpdate().first<StoredAnnouncement | undefined>();

type Change = Partial<Fields & Pick<StoredAnnouncement, "postMortem" | "state" | "resolvedAtMs">>;

export const change = async (trx: Database, id: number, fields: Change, nowMs: number): Promise<void> =>
  void (await trx("announcements")
    .where({ id })
    .update({ ...fields, updatedAtMs: nowMs }));

export const deleteAnnouncement = async (db: Database, id: number): Promise<boolean> =>
  (await db("announcements").where({ id }).delete()) > 0;

export async function measureUpdates(trx: Database, announcementId: number): Promise<{ count: number; bytes: number }> {
  const { rows } = await trx.raw<{ rows: { count: number; bytes: number }[] }>(
    `select count(*) as count, coalesce(sum(octet_length(text)), 0)::bigint as bytes
     from announcement_updates where announcement_id = ?`,
    [announcementId],
  );
  return rows[0]!;
}

export async function insertUpdate(
  trx: Database,
  { nowMs, ...update }: { announcementId: number; state: UpdateState; text: string; nowMs: number },
): Promise<number> {
  const [row] = await trx("announcement_updates")
    .insert({ ...update, atMs: nowMs })
    .returning<{ id: number }[]>("id");
  return row!.id;
}

const maxBytes = 512 * 1024;
const weight = `
  10000 + coalesce(octet_length(post_mortem), 0)
  + coalesce((select sum(octet_length(text)) from announcement_updates where announcement_id = announcements.id), 0)`;

/** Lists one page in order: the first ones that fit into a bus message, at least one, and the ids of the rest. */
export async function listAnnouncements(
  { db }: { db: Database },
  query: z.output<typeof statusContract.methods.listAnnouncements.input>,
): Promise<{ announcements: Announcement[]; restIds: number[]; total: number }> {
  const wanted = () => {
    const rows = db("announcements");
    if (query.open !== undefined) rows[query.open === "true" ? "whereNull" : "whereNotNull"]("resolved_at_ms");
    if (query.incidentId !== undefined) rows.where("incident_id", query.incidentId);
    if (query.ids.length > 0) rows.whereRaw("id = any(?)", [query.ids]);
    return rows;
  };
  const sorted = () =>
    query.ids.length > 0
      ? wanted().orderByRaw("array_position(?::int[], id)", [query.ids])
      : wanted().orderByRaw(announcementOrder);
  const [sized, counted] = await Promise.all([
    sorted()
      .limit(query.pageSize)
      .offset((query.page - 1) * query.pageSize)
      .select<{ id: number; bytes: number }[]>("id", db.raw(`(${weight})::bigint as bytes`)),
    wanted().count<{ count: number }[]>("* as count").first(),
  ]);
  const fitting = fitInto(sized);
  const ids = sized.map(({ id }) => id);
  return {
    announcements: await readAnnouncements(db, ids.slice(0, fitting)),
    restIds: ids.slice(fitting),
    total: counted?.count ?? 0,
  };
}

function fitInto(sized: readonly { bytes: number }[]): number {
  let bytes = 0;
  const beyond = sized.findIndex((one) => (bytes += one.bytes) > maxBytes);
  return beyond === -1 ? sized.length : Math.max(1, beyond);
}

/** Reads announcements with their updates in the order of the ids, without deleted ones. */
export async function readAnnouncements(db: Database, ids: number[]): Promise<Announcement[]> {
  if (ids.length === 0) return [];
  const [rows, updates] = await Promise.all([
    db("announcements").whereRaw("id = any(?)", [ids]).select<StoredAnnouncement[]>(),
    db("announcement_updates")
      .whereRaw("announcement_id = any(?)", [ids])
      .orderBy("id")
      .select<(StoredUpdate & { announcementId: number })[]>(),
  ]);
  const found = new Map(rows.map((row) => [row.id, row]));
  const updatesOf = Map.groupBy(updates, ({ announcementId }) => announcementId);
  return ids.flatMap((id) => {
    const row = found.get(id);
    return row === undefined ? [] : [presentAnnouncement(row, updatesOf.get(id) ?? [])];
  });
}

export type PageShowing = { slug: string; shown: readonly TargetRef[] };

/** SQL condition: whether a page shows a row with `pages` and targets. A row with neither belongs to every page. */
const isShown = `(:slug = any(pages) or pages is null and (
  monitor_ids && :monitorIds::int[] or agent_ids && :agentIds::int[]
  or cardinality(monitor_ids) + cardinality(agent_ids) = 0))`;
const showing = ({ slug, shown }: PageShowing) => ({
  slug,
  monitorIds: idsOf(shown, "monitor"),
  agentIds: idsOf(shown, "agent"),
});

/** Lists a page's announcements that are open or were resolved since an instant: open ones first, then newest. */
export const listPublic = (
  db: Database,
  { sinceMs, limit, ...page }: PageShowing & { sinceMs: number; limit: number },
): Promise<StoredAnnouncement[]> =>
  db("announcements")
    .whereRaw(isShown, showing(page))
    .whereRaw("(resolved_at_ms is null or resolved_at_ms >= ?)", [Math.round(sinceMs)])
    .orderByRaw(announcementOrder)
    .limit(limit)
    .select<StoredAnnouncement[]>();

export async function newestUpdates(db: Database, announcementIds: number[]): Promise<Map<number, StoredUpdate[]>> {
  const rows = await db("announcement_updates")
    .whereRaw("announcement_id = any(?)", [announcementIds])
    .distinctOn("announcementId")
    .orderBy([{ column: "announcementId" }, { column: "id", order: "desc" }])
    .select<(StoredUpdate & { announcementId: number })[]>();
  return new Map(rows.map((update) => [update.announcementId, [update]]));
}

export const updatesBefore = (db: Database, announcementId: number, updateId: number): Promise<StoredUpdate[]> =>
  db("announcement_updates")
    .where({ announcementId })
    .where("id", "<", updateId)
    .orderBy("id", "desc")
    .select<StoredUpdate[]>();

export async function announcedOf(db: Database, incidentIds: string[], page: PageShowing): Promise<Set<string>> {
  if (incidentIds.length === 0) return new Set();
  const found = await db("announcements")
    .whereRaw("incident_id = any(?)", [incidentIds])
    .whereRaw(isShown, showing(page))
    .distinct<{ incidentId: string }[]>("incidentId");
  return new Set(found.map(({ incidentId }) => incidentId));
}

export type StoredUpdate = { id: number; state: UpdateState; text: string; atMs: number };

/** A row of `announcements`. Instants are epoch milliseconds. */
export type StoredAnnouncement = {
  id: number;
  title: string;
  impact: Impact;
  monitorIds: number[];
  agentIds: number[];
  /** The automatic incident it is about: m12, a3. */
  incidentId: string | null;
  /** Slugs, or `null` for the pages that show one of its targets. */
  pages: string[] | null;
  state: UpdateState;
  /** Markdown. */
  postMortem: string | null;
  createdAtMs: number;
  updatedAtMs: number;
  /** `null` while open. */
  resolvedAtMs: number | null;
};
export type Fields = Pick<StoredAnnouncement, "title" | "impact" | "monitorIds" | "agentIds" | "incidentId" | "pages">;

/** Converts an announcement for the API. @param updates oldest first */
function presentAnnouncement(
  { monitorIds, agentIds, createdAtMs, updatedAtMs, resolvedAtMs, ...rest }: StoredAnnouncement,
  updates: readonly StoredUpdate[],
): Announcement {
  return {
    ...rest,
    monitors: monitorIds,
    agents: agentIds,
    incidentId: rest.incidentId ?? undefined,
    pages: rest.pages ?? undefined,
    postMortem: rest.postMortem ?? undefined,
    updates: updates.map(({ id, state, text, atMs }) => ({ id, state, text, at: isoInstant(atMs) })),
    createdAt: isoInstant(createdAtMs),
    updatedAt: isoInstant(updatedAtMs),
    resolvedAt: resolvedAtMs === null ? undefined : isoInstant(resolvedAtMs),
  };
}

export const isoInstant = (atMs: number) => new Date(atMs).toISOString();

const batchRows = 100;

/** Works in small batches, so several processes may run it. Returns the number deleted. */
export async function pruneAnnouncements(db: Database, resolvedBeforeMs: number): Promise<number> {
  for (let deleted = 0; ;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from announcements where id in (
         select id from announcements where resolved_at_ms < ?
         order by resolved_at_ms limit ${batchRows} for update skip locked
       )`,
      [Math.round(resolvedBeforeMs)],
    );
    deleted += rowCount;
    if (rowCount < batchRows) return deleted;
  }
}
