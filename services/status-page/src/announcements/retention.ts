import type { Database } from "@sonde/kit/postgres/database";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import type { Context } from "../context.ts";

const dayMs = 24 * 3_600_000;
const everyMs = 10 * 60_000;
const batchRows = 100;

/**
 * Deletes announcements that were resolved before an instant, oldest first and in small batches; an open one never.
 * Returns the number deleted. Several processes may do it at once.
 */
export async function pruneAnnouncements(db: Database, resolvedBeforeMs: number): Promise<number> {
  for (let deleted = 0; ;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from announcements where id in (
         select id from announcements where resolved_at_ms < ?
         order by resolved_at_ms limit ${batchRows} for update skip locked
       )`,
      [Math.round(resolvedBeforeMs)],
    );
    deleted += rowCount;
    if (rowCount < batchRows) return deleted;
  }
}

/** Prunes now and every ten minutes, by the configured retention. */
export function startAnnouncementRetention(ctx: Pick<Context, "db" | "clock" | "log">, keptDays: number): Service {
  const { db, clock, log } = ctx;
  const run = async () => {
    const deleted = await pruneAnnouncements(db, clock.now() - keptDays * dayMs);
    if (deleted > 0) log.info({ deleted }, "announcements that were kept long enough were deleted");
  };
  const sweep = startLoop({ work: "deleting old announcements", log, everyMs, run });
  sweep.nudge();
  return sweep;
}
