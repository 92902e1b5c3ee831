import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import { buckets } from "@sonde/proto/streams";
import {
  addOccurrences,
  coveredBy,
  dropAhead,
  endRunning,
  runningOccurrence,
  occurrencesChanged,
  sameTargets,
  type Window,
  type WindowTargets,
  tombstoneWindow,
  lockWindow,
} from "./store.ts";
import { dayMs, occurrenceAt, occurrencesAfter, type Schedule, type TimeSpan } from "./schedule.ts";
import { pruneAnnouncements } from "../announcements/store.ts";
import type { Context } from "../context.ts";
import { historyDepthMs } from "./projection.ts";
import { readRule } from "./rule.ts";

/** Occurrences are stored at least this far ahead. */
export const aheadMs = 31 * dayMs;
/** They are stored a day further, so a day may pass until the next extension. */
const writtenAheadMs = aheadMs + dayMs;

type Plan = { spans: TimeSpan[]; plannedUntilMs: number };

/** No occurrence follows the stored ones. */
const forEverMs = Number.MAX_SAFE_INTEGER;

function planAfter(schedule: Schedule, afterMs: number, nowMs: number): Plan {
  const untilMs = nowMs + writtenAheadMs;
  const spans = occurrencesAfter(schedule, afterMs, untilMs);
  const last = spans.at(-1);
  return { spans, plannedUntilMs: last === undefined ? forEverMs : Math.max(untilMs, last.fromMs) };
}

/**
 * Stores the future occurrences of a window; if its start has passed, it begins now. A running occurrence ends when the
 * schedule says, or now if the schedule has none at this instant. A change of targets ends it now and begins another.
 * @param isMoved the window is new or its dates changed, not only its targets
 */
export async function replan(
  trx: Database,
  id: number,
  schedule: Schedule,
  targets: WindowTargets,
  { nowMs, isMoved }: { nowMs: number; isMoved: boolean },
): Promise<void> {
  const running = await runningOccurrence(trx, id, nowMs);
  const wanted = occurrenceAt(schedule, nowMs);
  await dropAhead(trx, id, nowMs);
  // If only its end moved, a running occurrence stays the same.
  const toMs = isMoved ? wanted?.toMs : running?.toMs;
  const goesOn = running !== undefined && toMs !== undefined && sameTargets(running, targets);
  if (running !== undefined) await endRunning(trx, id, nowMs, goesOn ? toMs : nowMs);
  const begun = !goesOn && toMs !== undefined && (isMoved || running !== undefined) ? [{ fromMs: nowMs, toMs }] : [];
  const { spans, plannedUntilMs } = planAfter(schedule, nowMs, nowMs);
  await addOccurrences(trx, id, targets, [...begun, ...spans]);
  await occurrencesChanged(trx, id, plannedUntilMs);
}

/** Stores the occurrences that are now within the horizon, except those that already passed. */
async function extend(trx: Database, window: Window, schedule: Schedule, nowMs: number): Promise<void> {
  const running = occurrenceAt(schedule, nowMs);
  const begun = running === undefined || running.fromMs <= window.plannedUntilMs ? [] : [{ ...running, fromMs: nowMs }];
  const { spans, plannedUntilMs } = planAfter(schedule, Math.max(window.plannedUntilMs, nowMs), nowMs);
  await addOccurrences(trx, window.id, coveredBy(window), [...begun, ...spans]);
  await occurrencesChanged(trx, window.id, plannedUntilMs);
}

const everyMs = 10 * 60_000;

/** Stores the occurrences that are now within the horizon, window by window. Returns how many windows were checked. */
export async function extendWindows({ db, log, clock }: Pick<Context, "db" | "log" | "clock">): Promise<number> {
  const isDue = (nowMs: number) =>
    db("windows")
      .whereNull("deleted_at_ms")
      .where("planned_until_ms", "<", nowMs + aheadMs);
  const ids = await isDue(clock.now()).orderBy("id").pluck<number[]>("id");
  for (const id of ids) {
    // A failing window must not block the others.
    await db
      .transaction(async (trx) => {
        const window = await lockWindow(trx, id);
        const nowMs = clock.now();
        // Another process was faster.
        if (window === undefined || window.plannedUntilMs >= nowMs + aheadMs) return;
        await extend(trx, window, { ...window, rule: readRule(window.rrule) }, nowMs);
      })
      .catch((error: unknown) => log.error({ err: error, window: id }, "extending a maintenance window failed"));
  }
  return ids.length;
}

/**
 * Deletes silences a day after their end, and windows that ended before an instant: first their texts, then, when no
 * history needs them, their occurrences and tombstones.
 */
export async function sweepWindows(db: Database, nowMs: number, retentionMs: number): Promise<void> {
  const endedBefore = (beforeMs: number) =>
    `not exists (select from occurrences where window_id = windows.id and to_ms >= ${Math.round(beforeMs)})
     and updated_at_ms < ${Math.round(beforeMs)}`;
  await db.transaction(async (trx) => {
    const over = await trx("windows")
      .where({ isSilence: true })
      .where("end_ms", "<", nowMs - dayMs)
      .delete()
      .returning<{ id: number }[]>("id");
    const ended = await trx("windows")
      .where({ isSilence: false })
      .whereNull("deleted_at_ms")
      .whereRaw(endedBefore(nowMs - retentionMs))
      .forUpdate()
      .pluck<number[]>("id");
    for (const id of ended) {
      await tombstoneWindow(trx, id, nowMs);
      await occurrencesChanged(trx, id, Number.MAX_SAFE_INTEGER);
    }
    // Deletes old occurrences of recurring windows before the windows themselves.
    await trx("occurrences")
      .where("to_ms", "<", nowMs - historyDepthMs)
      .delete();
    const gone = await trx("windows")
      .where({ isSilence: false })
      .whereNotNull("deleted_at_ms")
      .whereRaw(endedBefore(nowMs - retentionMs))
      .whereRaw("not exists (select from occurrences where window_id = windows.id)")
      .delete()
      .returning<{ id: number }[]>("id");
    // The relay deletes keys without a row from the bucket.
    await enqueueKeys(
      trx,
      [...over, ...gone].map(({ id }) => ({ bucket: buckets.maintenance, key: String(id) })),
    );
  });
}

/** Extends windows, and deletes expired windows and announcements, now and every ten minutes. */
export function startUpkeep(
  ctx: Pick<Context, "db" | "log" | "clock" | "committed" | "changed">,
  { retentionDays }: { retentionDays: number },
): Service {
  const { db, log, clock } = ctx;
  const run = async () => {
    const extended = await extendWindows(ctx);
    await sweepWindows(db, clock.now(), retentionDays * dayMs);
    ctx.committed();
    if (extended > 0) ctx.changed();
    const deleted = await pruneAnnouncements(db, clock.now() - retentionDays * dayMs);
    if (deleted > 0) log.info({ deleted }, "expired announcements deleted");
  };
  const upkeep = startLoop({ work: "upkeep of maintenance and announcements", log, everyMs, run });
  upkeep.nudge();
  return upkeep;
}
