import type { Database } from "@sonde/kit/postgres/database";
import {
  type StoredAnnouncement,
  type AnnouncementRow,
  readAnnouncement,
  readUpdate,
  type Update,
  type UpdateRow,
} from "./announcement.ts";
import { columns, inOrder, updateColumns } from "./store.ts";

export type ListQuery = {
  page: number;
  pageSize: number;
  open: boolean | null;
  /** Null: of any. */
  incidentId: string | null;
  /** Empty: all. */
  ids: number[];
};
export type AnnouncementWithUpdates = { announcement: StoredAnnouncement; updates: Update[] };

/** Half of what a message of the bus holds. */
const mostBytes = 512 * 1024;
const weight = `
  10000 + coalesce(octet_length(post_mortem), 0)
  + coalesce((select sum(octet_length(text)) from announcement_updates where announcement_id = announcements.id), 0)`;

/** One page in order: the first as far as they fit into one message of the bus, one at least, and the ids of the rest. */
export async function listPage(
  db: Database,
  query: ListQuery,
): Promise<{ announcements: AnnouncementWithUpdates[]; restIds: number[]; total: number }> {
  const wanted = () => {
    const rows = db("announcements");
    if (query.open !== null) rows[query.open ? "whereNull" : "whereNotNull"]("resolved_at_ms");
    if (query.incidentId !== null) rows.where("incident_id", query.incidentId);
    if (query.ids.length > 0) rows.whereRaw("id = any(?)", [query.ids]);
    return rows;
  };
  const sorted = () =>
    query.ids.length > 0
      ? wanted().orderByRaw("array_position(?::int[], id)", [query.ids])
      : wanted().orderByRaw(inOrder);
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
  const beyond = sized.findIndex((one) => (bytes += one.bytes) > mostBytes);
  return beyond === -1 ? sized.length : Math.max(1, beyond);
}

/** Announcements with their updates, in the order of the ids, without deleted ones. */
export async function readWhole(db: Database, ids: number[]): Promise<AnnouncementWithUpdates[]> {
  if (ids.length === 0) return [];
  const [rows, updates] = await Promise.all([
    db("announcements").whereRaw("id = any(?)", [ids]).select<AnnouncementRow[]>(columns),
    db("announcement_updates")
      .whereRaw("announcement_id = any(?)", [ids])
      .orderBy("id")
      .select<(UpdateRow & { announcementId: number })[]>("announcement_id as announcementId", ...updateColumns),
  ]);
  const found = new Map(rows.map((row) => [row.id, { announcement: readAnnouncement(row), updates: [] as Update[] }]));
  for (const { announcementId, ...update } of updates) found.get(announcementId)?.updates.push(readUpdate(update));
  return ids.flatMap((id) => found.get(id) ?? []);
}
