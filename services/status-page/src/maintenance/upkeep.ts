import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import { buckets } from "@sonde/proto/streams";
import { pruneAnnouncements } from "../announcements/store.ts";
import type { Context } from "../context.ts";
import { aheadMs, extend } from "./plan.ts";
import { historyDepthMs } from "./projection.ts";
import { readRule } from "./rule.ts";
import { dayMs } from "./schedule.ts";
import { buryWindow, lockWindow, occurrencesChanged } from "./store.ts";

const everyMs = 10 * 60_000;

/** Writes the occurrences that came within the horizon, window by window. Returns how many windows were checked. */
export async function extendWindows({ db, log, clock }: Pick<Context, "db" | "log" | "clock">): Promise<number> {
  const isDue = (nowMs: number) =>
    db("windows")
      .whereNull("deleted_at_ms")
      .where("planned_until_ms", "<", nowMs + aheadMs);
  const ids = await isDue(clock.now()).orderBy("id").pluck<number[]>("id");
  for (const id of ids) {
    // One that fails must not keep the others from theirs.
    await db
      .transaction(async (trx) => {
        const window = await lockWindow(trx, id);
        const nowMs = clock.now();
        // Another process was quicker.
        if (window === undefined || window.plannedUntilMs >= nowMs + aheadMs) return;
        await extend(trx, window, { ...window, rule: readRule(window.rrule) }, nowMs);
      })
      .catch((error: unknown) => log.error({ err: error, window: id }, "maintenance could not be planned ahead"));
  }
  return ids.length;
}

/**
 * Deletes windows that ended before an instant: first their texts, then, once no history needs them any more, their
 * spans. Their tombstones are deleted with those.
 */
export async function sweepWindows(db: Database, nowMs: number, keptMs: number): Promise<void> {
  const endedBefore = (beforeMs: number) =>
    `not exists (select from occurrences where window_id = windows.id and to_ms >= ${Math.round(beforeMs)})
     and updated_at_ms < ${Math.round(beforeMs)}`;
  await db.transaction(async (trx) => {
    const ended = await trx("windows")
      .whereNull("deleted_at_ms")
      .whereRaw(endedBefore(nowMs - keptMs))
      .forUpdate()
      .pluck<number[]>("id");
    for (const id of ended) {
      await buryWindow(trx, id, nowMs);
      await occurrencesChanged(trx, id, Number.MAX_SAFE_INTEGER);
    }
    // Those of a window that recurs go before it does.
    await trx("occurrences")
      .where("to_ms", "<", nowMs - historyDepthMs)
      .delete();
    const gone = await trx("windows")
      .whereNotNull("deleted_at_ms")
      .whereRaw(endedBefore(nowMs - keptMs))
      .whereRaw("not exists (select from occurrences where window_id = windows.id)")
      .delete()
      .returning<{ id: number }[]>("id");
    // Without a row the relay takes the key out of the bucket.
    await enqueueKeys(
      trx,
      gone.map(({ id }) => ({ bucket: buckets.maintenance, key: String(id) })),
    );
  });
}

/** Plans ahead, and deletes windows and announcements that were kept long enough, now and every ten minutes. */
export function startUpkeep(
  ctx: Pick<Context, "db" | "log" | "clock" | "committed" | "changed">,
  { keptDays }: { keptDays: number },
): Service {
  const { db, log, clock } = ctx;
  const run = async () => {
    const extended = await extendWindows(ctx);
    await sweepWindows(db, clock.now(), keptDays * dayMs);
    ctx.committed();
    if (extended > 0) ctx.changed();
    const deleted = await pruneAnnouncements(db, clock.now() - keptDays * dayMs);
    if (deleted > 0) log.info({ deleted }, "announcements that were kept long enough were deleted");
  };
  const upkeep = startLoop({ work: "upkeep of maintenance and announcements", log, everyMs, run });
  upkeep.nudge();
  return upkeep;
}
