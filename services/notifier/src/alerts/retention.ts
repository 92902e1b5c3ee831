import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Log } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import { pruneChanges } from "../incidents/recorded-changes.ts";
import { forgetContacts } from "../on-call/contacts/contacts.ts";
import { pruneNotices } from "../on-call/notices.ts";
import type { People } from "../on-call/people.ts";
import { purgeSettings } from "../settings/settings.ts";

const dayMs = 24 * 3_600_000;
const everyMs = 10 * 60_000;
const batchRows = 500;

const chosen = {
  incidents: "select id from incidents where closed_at_ms < :beforeMs order by closed_at_ms",
  alerts: "select id from alerts where incident_id is null and created_at_ms < :beforeMs order by id",
};
const alertsOf = {
  incidents: "select alerts.id from alerts join chosen on alerts.incident_id = chosen.id",
  alerts: "select id from chosen",
};

/** Deletes closed incidents and tests with all their rows, in small batches, so several processes may run it. */
export async function prune(db: Database, beforeMs: number): Promise<number> {
  let deleted = 0;
  for (const table of ["incidents", "alerts"] as const) {
    for (let batch = batchRows; batch === batchRows; deleted += batch) batch = await pruneBatch(db, table, beforeMs);
  }
  return deleted;
}

function pruneBatch(db: Database, table: keyof typeof chosen, beforeMs: number): Promise<number> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { id: unknown; messages: number[] | null }[] }>(
      `with chosen as (${chosen[table]} limit ${batchRows} for update skip locked),
       carried as (
         select array_agg(distinct message_id) as ids from deliveries where alert_id in (${alertsOf[table]})
       )
       select chosen.id, carried.ids as messages from chosen cross join carried`,
      { beforeMs },
    );
    if (rows.length === 0) return 0;
    await trx(table)
      .whereIn(
        "id",
        rows.map(({ id }) => id as string),
      )
      .delete();
    await trx.raw(
      `delete from messages where id = any(?)
       and not exists (select from deliveries where deliveries.message_id = messages.id)`,
      [rows[0]?.messages ?? []],
    );
    return rows.length;
  });
}

/** Deletes drills that will not start again and whose runs are deleted. */
const pruneDrills = (db: Database, beforeMs: number): Promise<number> =>
  db("drills")
    .whereNull("due_at_ms")
    .where("created_at_ms", "<", beforeMs)
    .whereRaw("not exists (select from incidents where drill_id = drills.id)")
    .delete();

/** Deletes settled mails. After this time status-page no longer queues them again. */
export const pruneMails = (db: Database, nowMs: number): Promise<number> =>
  db("messages")
    .whereNotNull("mailKind")
    .whereNot({ status: "pending" })
    .where("createdAtMs", "<", Math.round(nowMs - 2 * dayMs))
    .delete();

type RetentionContext = { db: Database; clock: Clock; log: Log; people: People; incidentDays: number };

export function startRetention({ db, clock, log, people, incidentDays }: RetentionContext): Service {
  const run = async () => {
    const deleted = await prune(db, clock.now() - incidentDays * dayMs);
    if (deleted > 0) log.info({ deleted }, "expired incidents and tests deleted");
    await pruneDrills(db, clock.now() - incidentDays * dayMs);
    await pruneMails(db, clock.now());
    await pruneChanges(db, clock.now());
    await pruneNotices(db, clock.now() - incidentDays * dayMs);
    await purgeSettings(db, clock.now());
    await forgetContacts(db, people);
  };
  const sweep = startLoop({ work: "deleting expired notifications", log, everyMs, run });
  sweep.nudge();
  return sweep;
}
