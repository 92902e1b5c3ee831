import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import type { Service } from "@sonde/kit/service/lifecycle";
import { startLoop } from "@sonde/kit/time/loop";
import { type DecisionContext, timesDecided } from "./deciding.ts";
import { decideDeferred, moveDeferred } from "./deferred.ts";
import { remind } from "./reminders.ts";
import type { Database } from "@sonde/kit/postgres/database";

const everyMs = 1_000;
/** What another process decided is due there, too; it counts here in case that one dies. */
const readAgainMs = 5_000;

/**
 * Each second: deferred moments that are due, and reminders; before that, deferrals by maintenance follow changed
 * windows. Rows have the due times, so nothing is lost when a process dies; the next due time is cached until rows
 * change.
 * @param ready resolves once events from before the start were applied: until then, a deferred incident may already be
 * over
 */
export function startTicks(
  deps: DecisionContext & { maintenance: Pick<MaintenanceWatch, "at" | "onChange"> },
  ready: Promise<unknown> = Promise.resolve(),
): Service {
  let stopped = false;
  // Windows may have changed while no notifier ran.
  let windowsChanged = true;
  let isReady = false;
  void ready.then(() => (isReady = true));
  deps.maintenance.onChange(() => (windowsChanged = true));

  const followWindows = async () => {
    if (!windowsChanged) return;
    windowsChanged = false;
    await moveDeferred(deps).catch((error: unknown) => {
      windowsChanged = true;
      throw error;
    });
  };
  const isDue = dueReader(deps);
  const tick = async () => {
    if (!isReady) return;
    await followWindows();
    if (!(await isDue())) return;
    for (const work of [decideDeferred, remind]) {
      while (!stopped && (await work(deps)) > 0);
    }
  };
  const ticking = startLoop({ work: "held alerts and reminders", log: deps.log, everyMs, run: tick });
  return {
    stop: () => {
      stopped = true;
      return ticking.stop();
    },
  };
}

/** Returns whether a row is due by now; asks PostgreSQL only where rows may have changed. */
export function dueReader({ db, clock }: Pick<DecisionContext, "db" | "clock">): () => Promise<boolean> {
  let dueAtMs = Number.POSITIVE_INFINITY;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let seen = -1;
  return async () => {
    const times = timesDecided(db);
    if (times !== seen || clock.elapsedMs() - readAtMs >= readAgainMs) {
      dueAtMs = await nextDueMs(db);
      readAtMs = clock.elapsedMs();
      seen = times;
    }
    return dueAtMs <= clock.now();
  };
}

/** When the next deferred decision or reminder is due (epoch milliseconds); Infinity if none is. */
export async function nextDueMs(db: Database): Promise<number> {
  const { rows } = await db.raw<{ rows: { dueAtMs: number | null }[] }>(
    `select least(
       (select min(until_ms) from decisions where outcome = 'held'),
       (select min(reminder_due_at_ms) from incidents where reminder_due_at_ms is not null)
     ) as due_at_ms`,
  );
  return rows[0]?.dueAtMs ?? Number.POSITIVE_INFINITY;
}
