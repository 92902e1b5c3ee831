import { record } from "@sonde/domain/audit";
import { currentCall } from "@sonde/kit/bus/rpc";
import type { Database } from "@sonde/kit/postgres/database";
import type { Change, ChangeInput } from "@sonde/proto/http/incidents/changes";
import type { Context } from "../context.ts";
import { changing, instantOf } from "../on-call/named.ts";

const maxChanges = 10_000;
const keptMs = 90 * 24 * 3_600_000;
/** With one incident. */
const maxFound = 20;

type ChangeRow = Omit<Change, "at" | "link"> & { atMs: number; link: string | null };

const present = ({ atMs, link, ...row }: ChangeRow): Change => ({
  ...row,
  link: link ?? undefined,
  at: instantOf(atMs),
});

/** Records a change that the caller made or reports. Deletes the oldest ones beyond the limit. */
export const createChange = (
  ctx: Pick<Context, "db" | "clock" | "committed">,
  { title, link, tags = [], at }: ChangeInput,
): Promise<Change> =>
  changing(ctx, async (trx, nowMs) => {
    const createdBy = currentCall()?.actor?.username ?? "";
    const atMs = at === undefined ? Math.floor(nowMs) : Date.parse(at);
    const [row] = await trx("changes")
      .insert({ title, link, tags: JSON.stringify(tags), atMs, createdBy })
      .returning<ChangeRow[]>("*");
    await trx.raw("delete from changes where id in (select id from changes order by at_ms desc, id desc offset ?)", [
      maxChanges,
    ]);
    const after = present(row!);
    await record(trx, "notifier", { action: "create", target: { type: "change", id: after.id, name: title }, after });
    return after;
  });

/** Reads the newest changes of a period that concern an incident: those without tags, or with a tag of its target. */
export async function changesFor(db: Database, incidentId: string, fromMs: number, untilMs: number): Promise<Change[]> {
  const { rows } = await db.raw<{ rows: ChangeRow[] }>(
    `select * from changes
     where at_ms between ? and ? and (tags = '[]' or exists (
       select from incidents
       where incidents.id = ? and jsonb_exists_any(changes.tags, array(select jsonb_array_elements_text(facts->'tags')))
     ))
     order by at_ms desc, id desc limit ${maxFound}`,
    [Math.round(fromMs), Math.round(untilMs), incidentId],
  );
  return rows.map(present);
}

export const pruneChanges = (db: Database, nowMs: number): Promise<number> =>
  db("changes")
    .where("atMs", "<", Math.round(nowMs - keptMs))
    .delete();
