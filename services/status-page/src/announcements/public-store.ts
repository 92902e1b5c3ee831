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

/** Those that are open, and those resolved since an instant: open ones first, then the newest. */
export async function listPublic(
  db: Database,
  { sinceMs, limit }: { sinceMs: number; limit: number },
): Promise<StoredAnnouncement[]> {
  const rows = await db("announcements")
    .whereRaw("(resolved_at_ms is null or resolved_at_ms >= ?)", [Math.round(sinceMs)])
    .orderByRaw(inOrder)
    .limit(limit)
    .select<AnnouncementRow[]>(columns);
  return rows.map(readAnnouncement);
}

/** The newest update of each of these announcements that has one, as a list. */
export async function newestUpdates(db: Database, announcementIds: number[]): Promise<Map<number, Update[]>> {
  const rows = await db("announcement_updates")
    .whereRaw("announcement_id = any(?)", [announcementIds])
    .distinctOn("announcement_id")
    .orderBy([{ column: "announcement_id" }, { column: "id", order: "desc" }])
    .select<(UpdateRow & { announcementId: number })[]>("announcement_id as announcementId", ...updateColumns);
  return new Map(rows.map(({ announcementId, ...update }) => [announcementId, [readUpdate(update)]]));
}

/** Those before one of an announcement, newest first. */
export async function updatesBefore(db: Database, announcementId: number, updateId: number): Promise<Update[]> {
  const rows = await db("announcement_updates")
    .where({ announcement_id: announcementId })
    .where("id", "<", updateId)
    .orderBy("id", "desc")
    .select<UpdateRow[]>(updateColumns);
  return rows.map(readUpdate);
}

/** The announced ones among these automatic incidents. */
export async function announcedOf(db: Database, incidentIds: string[]): Promise<Set<string>> {
  if (incidentIds.length === 0) return new Set();
  const found = await db("announcements")
    .whereRaw("incident_id = any(?)", [incidentIds])
    .distinct<{ incidentId: string }[]>("incident_id as incidentId");
  return new Set(found.map(({ incidentId }) => incidentId));
}
