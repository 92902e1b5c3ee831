import type { Database } from "@sonde/kit/postgres/database";
import type { UpdateState, Impact } from "@sonde/proto/http/status/status";
import type { Announcement } from "@sonde/proto/http/status/announcements";
import type { statusContract } from "@sonde/proto/rpc/status";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { z } from "zod";
import { idsOf } from "../collect/targets.ts";

/** Open ones first, then the newest. */
export const announcementOrder = "(resolved_at_ms is not null), created_at_ms desc, id desc";

/** Creations and re-openings wait for each other: two at once would both find room for one. */
export async function countForUpdate(trx: Database): Promise<{ open: number; all: number }> {
  await trx.raw("select pg_advisory_xact_lock(hashtextextended('announcements', 0))");
  const { rows } = await trx.raw<{ rows: { open: number; all: number }[] }>(
    `select count(*) filter (where resolved_at_ms is null) as open, count(*) as all from announcements`,
  );
  return rows[0]!;
}

/** How many were made since an instant, and when the first of them was. */
export async function countSince(trx: Database, sinceMs: number): Promise<{ count: number; oldestMs: number | null }> {
  const [row] = await trx("announcements")
    .where("created_at_ms", ">", sinceMs)
    .select<{ count: number; oldestMs: number | null }[]>(
      trx.raw('count(*) as count, min(created_at_ms) as "oldestMs"'),
    );
  return row!;
}

/** Returns its id. */
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

/** Locks an announcement's row until the end of the transaction, for every change. */
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

/** Returns its id. */
export async function insertUpdate(
  trx: Database,
  { nowMs, ...update }: { announcementId: number; state: UpdateState; text: string; nowMs: number },
): Promise<number> {
  const [row] = await trx("announcement_updates")
    .insert({ ...update, atMs: nowMs })
    .returning<{ id: number }[]>("id");
  return row!.id;
}

/** Half of what a message of the bus holds. */
const maxBytes = 512 * 1024;
const weight = `
  10000 + coalesce(octet_length(post_mortem), 0)
  + coalesce((select sum(octet_length(text)) from announcement_updates where announcement_id = announcements.id), 0)`;

/** One page in order: the first as far as they fit into one message of the bus, one at least, and the ids of the rest. */
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
    announcements: await readWhole(db, ids.slice(0, fitting)),
    restIds: ids.slice(fitting),
    total: counted?.count ?? 0,
  };
}

function fitInto(sized: readonly { bytes: number }[]): number {
  let bytes = 0;
  const beyond = sized.findIndex((one) => (bytes += one.bytes) > maxBytes);
  return beyond === -1 ? sized.length : Math.max(1, beyond);
}

/** Announcements with their updates, in the order of the ids, without deleted ones. */
export async function readWhole(db: Database, ids: number[]): Promise<Announcement[]> {
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

/** A page, and what it shows. */
export type PageShowing = { slug: string; shown: readonly TargetRef[] };

/** Whether a page shows a row that has `pages` and targets, in SQL. One without pages or targets is for all. */
const isShown = `(:slug = any(pages) or pages is null and (
  monitor_ids && :monitorIds::int[] or agent_ids && :agentIds::int[]
  or cardinality(monitor_ids) + cardinality(agent_ids) = 0))`;
const showing = ({ slug, shown }: PageShowing) => ({
  slug,
  monitorIds: idsOf(shown, "monitor"),
  agentIds: idsOf(shown, "agent"),
});

/** Those of a page that are open, or were resolved since an instant: open ones first, then the newest. */
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

/** The newest update of each of these announcements that has one, as a list. */
export async function newestUpdates(db: Database, announcementIds: number[]): Promise<Map<number, StoredUpdate[]>> {
  const rows = await db("announcement_updates")
    .whereRaw("announcement_id = any(?)", [announcementIds])
    .distinctOn("announcementId")
    .orderBy([{ column: "announcementId" }, { column: "id", order: "desc" }])
    .select<(StoredUpdate & { announcementId: number })[]>();
  return new Map(rows.map((update) => [update.announcementId, [update]]));
}

/** Those before one of an announcement, newest first. */
export const updatesBefore = (db: Database, announcementId: number, updateId: number): Promise<StoredUpdate[]> =>
  db("announcement_updates")
    .where({ announcementId })
    .where("id", "<", updateId)
    .orderBy("id", "desc")
    .select<StoredUpdate[]>();

/** Those of these automatic incidents that are announced on a page. */
export async function announcedOf(db: Database, incidentIds: string[], page: PageShowing): Promise<Set<string>> {
  if (incidentIds.length === 0) return new Set();
  const found = await db("announcements")
    .whereRaw("incident_id = any(?)", [incidentIds])
    .whereRaw(isShown, showing(page))
    .distinct<{ incidentId: string }[]>("incidentId");
  return new Set(found.map(({ incidentId }) => incidentId));
}

export type StoredUpdate = { id: number; state: UpdateState; /** Markdown. */ text: string; atMs: number };

/** A row of `announcements`. Instants are epoch milliseconds. */
export type StoredAnnouncement = {
  id: number;
  title: string;
  impact: Impact;
  monitorIds: number[];
  agentIds: number[];
  /** The automatic incident that it is about: m12, a3. */
  incidentId: string | null;
  /** Slugs; null: those that show one of its targets. */
  pages: string[] | null;
  state: UpdateState;
  /** Markdown. */
  postMortem: string | null;
  createdAtMs: number;
  updatedAtMs: number;
  /** Null: it is open. */
  resolvedAtMs: number | null;
};
export type Fields = Pick<StoredAnnouncement, "title" | "impact" | "monitorIds" | "agentIds" | "incidentId" | "pages">;

/** An announcement as users see it. @param updates oldest first */
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

/**
 * Deletes announcements that were resolved before an instant, oldest first and in small batches; an open one never.
 * Returns the number deleted. Several processes may do it at once.
 */
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
