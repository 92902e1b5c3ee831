import { AppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { queuePlannedMailing } from "../mails/tell.ts";
import { showWindow } from "./list.ts";
import { dropAhead, endRunning, runningOccurrence } from "./occurrence-store.ts";
import type { MaintenanceInit } from "./present.ts";
import { buryWindow, lockWindow, occurrencesChanged, updateWindow } from "./store.ts";
import { missing } from "./update.ts";

/**
 * Ends the running occurrence of a window now; later ones stay. @throws AppError not_found; impossible if none is
 * running
 */
export async function endMaintenance(ctx: Context, id: number): Promise<MaintenanceInit> {
  const { db, clock } = ctx;
  const shown = await orUnavailable(() =>
    db.transaction(async (trx) => {
      const window = await lockWindow(trx, id);
      if (window === undefined) throw missing();
      const nowMs = clock.now();
      const running = await runningOccurrence(trx, id, nowMs);
      if (running === undefined) throw new AppError("impossible", "This maintenance does not run now");
      await endRunning(trx, id, nowMs, nowMs);
      if (window.rrule === "") {
        await updateWindow(trx, id, { ...window, endMs: Math.max(nowMs, window.startMs + 1) }, nowMs);
      }
      await occurrencesChanged(trx, id, window.plannedUntilMs);
      return showWindow(trx, id, nowMs);
    }),
  );
  ctx.committed();
  ctx.changed();
  return shown;
}

/**
 * Deletes a window: a running occurrence ends now, and what it covered until now stays excluded from uptime. @throws
 * AppError not_found
 */
export async function deleteMaintenance(ctx: Context, id: number): Promise<void> {
  const { db, clock } = ctx;
  await orUnavailable(() =>
    db.transaction(async (trx) => {
      const window = await lockWindow(trx, id);
      if (window === undefined) throw missing();
      const nowMs = clock.now();
      await dropAhead(trx, id, nowMs);
      await endRunning(trx, id, nowMs, nowMs);
      await buryWindow(trx, id, nowMs);
      await queuePlannedMailing(trx, { windowId: id, nowMs });
      await occurrencesChanged(trx, id, window.plannedUntilMs);
    }),
  );
  ctx.committed();
  ctx.changed();
}
