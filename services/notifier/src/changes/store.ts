import type { Change } from "@sonde/proto/http/incidents/changes";
import type { Database } from "@sonde/kit/postgres/database";
import { instantOf, pageOf } from "../on-call/named.ts";

const maxChanges = 10_000;
const keptMs = 90 * 24 * 3_600_000;
/** With one incident. */
const maxFound = 20;

type NewChange = { title: string; link?: string | undefined; tags: readonly string[]; atMs: number; createdBy: string };
type ChangeRow = Omit<Change, "at" | "link"> & { atMs: number; link: string | null };

const present = ({ atMs, link, ...row }: ChangeRow): Change => ({
  ...row,
  link: link ?? undefined,
  at: instantOf(atMs),
});

export async function selectChanges(
  db: Database,
  { sort, ...query }: { page: number; pageSize: number; search?: string | undefined; sort?: "at" | "-at" | undefined },
): Promise<{ changes: Change[]; total: number }> {
  const order = sort === "at" ? "asc" : "desc";
  const { rows, total } = await pageOf<ChangeRow>(db, { table: "changes", column: "title" }, query, [
    { column: "atMs", order },
    { column: "id", order },
  ]);
  return { changes: rows.map(present), total };
}

/** Deletes the oldest ones beyond the limit. */
export async function insertChange(trx: Database, { tags, ...row }: NewChange): Promise<Change> {
  const rows = await trx("changes")
    .insert({ ...row, tags: JSON.stringify(tags) })
    .returning<ChangeRow[]>("*");
  await trx.raw("delete from changes where id in (select id from changes order by at_ms desc, id desc offset ?)", [
    maxChanges,
  ]);
  return present(rows[0]!);
}

export async function deleteChangeRow(trx: Database, id: number): Promise<Change | undefined> {
  const [removed] = await trx<ChangeRow>("changes").where({ id }).delete().returning("*");
  return removed && present(removed);
}

/** Returns the newest changes of a period that concern a target: those without tags, and with one of its tags. */
export async function changesFor(
  db: Database,
  tags: readonly string[],
  fromMs: number,
  untilMs: number,
): Promise<Change[]> {
  const rows = await db("changes")
    .whereBetween("atMs", [Math.round(fromMs), Math.round(untilMs)])
    .whereRaw("(tags = '[]' or jsonb_exists_any(tags, ?))", [[...tags]])
    .orderBy([
      { column: "atMs", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .limit(maxFound)
    .select<ChangeRow[]>("*");
  return rows.map(present);
}

export const pruneChanges = (db: Database, nowMs: number): Promise<number> =>
  db("changes")
    .where("atMs", "<", Math.round(nowMs - keptMs))
    .delete();
