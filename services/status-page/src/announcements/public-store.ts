import type { Database } from "@sonde/kit/postgres/database";
import {
  type Announcement,
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
): Promise<Announcement[]> {
  const rows = await db("announcements")
    .whereRaw("(resolved_at_ms is null or resolved_at_ms >= ?)", [Math.round(sinceMs)])
    .orderByRaw(inOrder)
    .limit(limit)
    .select<AnnouncementRow[]>(columns);
  return rows.map(readAnnouncement);
}

/** Newest first. */
export async function newestUpdates(db: Database, announcementId: number): Promise<Update[]> {
  const rows = await db("announcement_updates")
    .where({ announcement_id: announcementId })
    .orderBy("id", "desc")
    .select<UpdateRow[]>(updateColumns);
  return rows.map(readUpdate);
}

/** Which of these automatic incidents somebody announced. */
export async function announcedOf(db: Database, incidentIds: string[]): Promise<Set<string>> {
  if (incidentIds.length === 0) return new Set();
  const found = await db("announcements")
    .whereRaw("incident_id = any(?)", [incidentIds])
    .distinct<{ incidentId: string }[]>("incident_id as incidentId");
  return new Set(found.map(({ incidentId }) => incidentId));
}
