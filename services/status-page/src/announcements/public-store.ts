import type { Database } from "@sonde/kit/postgres/database";
import type { StoredAnnouncement, StoredUpdate } from "./announcement.ts";
import { inOrder } from "./store.ts";

/** Those that are open, and those resolved since an instant: open ones first, then the newest. */
export const listPublic = (
  db: Database,
  { sinceMs, limit }: { sinceMs: number; limit: number },
): Promise<StoredAnnouncement[]> =>
  db("announcements")
    .whereRaw("(resolved_at_ms is null or resolved_at_ms >= ?)", [Math.round(sinceMs)])
    .orderByRaw(inOrder)
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

/** The announced ones among these automatic incidents. */
export async function announcedOf(db: Database, incidentIds: string[]): Promise<Set<string>> {
  if (incidentIds.length === 0) return new Set();
  const found = await db("announcements")
    .whereRaw("incident_id = any(?)", [incidentIds])
    .distinct<{ incidentId: string }[]>("incidentId");
  return new Set(found.map(({ incidentId }) => incidentId));
}
