import type { Database } from "@sonde/kit/postgres/database";
import type { UpdateState } from "@sonde/proto/http/status/status";
import type { Fields, StoredAnnouncement } from "./announcement.ts";

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

export const remove = async (db: Database, id: number): Promise<boolean> =>
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
