import type { Database } from "@sonde/kit/postgres/database";
import type { Announcement } from "@sonde/proto/http/status/announcements";
import type { statusContract } from "@sonde/proto/rpc/status";
import type { z } from "zod";
import { presentAnnouncement, type StoredAnnouncement, type StoredUpdate } from "./announcement.ts";
import { inOrder } from "./store.ts";

/** Half of what a message of the bus holds. */
const mostBytes = 512 * 1024;
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
