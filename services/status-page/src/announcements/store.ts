import type { Database } from "@sonde/kit/postgres/database";
import type { UpdateState } from "@sonde/proto/http/status/status";
import {
  type StoredAnnouncement,
  type AnnouncementRow,
  type Fields,
  readAnnouncement,
  readUpdate,
  type Update,
  type UpdateRow,
} from "./announcement.ts";

export const columns = [
  "id",
  "title",
  "impact",
  "monitor_ids as monitorIds",
  "agent_ids as agentIds",
  "incident_id as incidentId",
  "state",
  "post_mortem as postMortem",
  "created_at_ms as createdAtMs",
  "updated_at_ms as updatedAtMs",
  "resolved_at_ms as resolvedAtMs",
] as const;
export const updateColumns = ["id", "state", "text", "at_ms as atMs"] as const;

/** Open ones first, then the newest. */
export const inOrder = "(resolved_at_ms is not null), created_at_ms desc, id desc";

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

export async function insert(
  trx: Database,
  fields: Fields & { state: UpdateState; nowMs: number },
): Promise<StoredAnnouncement> {
  const { state, nowMs, ...rest } = fields;
  const times = { created_at_ms: nowMs, updated_at_ms: nowMs, resolved_at_ms: state === "resolved" ? nowMs : null };
  const [row] = await trx("announcements")
    .insert({ ...rowOf(rest), state, ...times })
    .returning<AnnouncementRow[]>(columns);
  return readAnnouncement(row!);
}

export async function find(db: Database, id: number): Promise<StoredAnnouncement | undefined> {
  const row = await db("announcements").where({ id }).first<AnnouncementRow | undefined>(columns);
  return row && readAnnouncement(row);
}

/** Locks an announcement's row until the end of the transaction, for every change. */
export async function lock(trx: Database, id: number): Promise<StoredAnnouncement | undefined> {
  const row = await trx("announcements").where({ id }).forUpdate().first<AnnouncementRow | undefined>(columns);
  return row && readAnnouncement(row);
}

type Change = Partial<Fields & Pick<StoredAnnouncement, "postMortem" | "state" | "resolvedAtMs">>;

export async function change(trx: Database, id: number, fields: Change, nowMs: number): Promise<StoredAnnouncement> {
  const [row] = await trx("announcements")
    .where({ id })
    .update({ ...rowOf(fields), updated_at_ms: nowMs })
    .returning<AnnouncementRow[]>(columns);
  return readAnnouncement(row!);
}

export const remove = async (db: Database, id: number): Promise<boolean> =>
  (await db("announcements").where({ id }).delete()) > 0;

/** Oldest first. */
export async function updatesOf(db: Database, announcementId: number): Promise<Update[]> {
  const rows = await db("announcement_updates")
    .where({ announcement_id: announcementId })
    .orderBy("id")
    .select<UpdateRow[]>(updateColumns);
  return rows.map(readUpdate);
}

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
  update: { announcementId: number; state: UpdateState; text: string; nowMs: number },
): Promise<number> {
  const { announcementId, state, text, nowMs } = update;
  const [row] = await trx("announcement_updates")
    .insert({ announcement_id: announcementId, state, text, at_ms: nowMs })
    .returning<{ id: number }[]>("id");
  return row!.id;
}

function rowOf(fields: Change): Record<string, unknown> {
  return {
    title: fields.title,
    impact: fields.impact,
    monitor_ids: fields.monitorIds,
    agent_ids: fields.agentIds,
    incident_id: fields.incidentId,
    post_mortem: fields.postMortem,
    state: fields.state,
    resolved_at_ms: fields.resolvedAtMs,
  };
}
