import { AppError, invalid } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { MaintenanceFields } from "@sonde/proto/gen/status/v1/status";
import type { Context } from "../context.ts";
import { queuePlannedMailing } from "../mails/tell.ts";
import { checkSchedule, checkTargetCount, newFields } from "./fields.ts";
import { showWindow } from "./list.ts";
import { planNew } from "./plan.ts";
import { aheadOf } from "./past.ts";
import type { MaintenanceInit } from "./present.ts";
import { countUnended, insertWindow, lockWindows } from "./store.ts";
import { checkTargets } from "./targets.ts";

const mostWindows = 100;
const nothing = { monitorIds: [], agentIds: [] };

/**
 * Plans maintenance. It covers no past time: one whose start has passed begins now.
 * @throws AppError invalid; impossible if a target does not exist, or a hundred windows have not ended yet
 */
export async function createMaintenance(ctx: Context, given: MaintenanceFields): Promise<MaintenanceInit> {
  const { db, clock } = ctx;
  const fields = newFields(given);
  const schedule = checkSchedule(fields, null, clock.now());
  if (!aheadOf(schedule, clock.now())) throw invalid([{ path: "end", message: "It lies in the past" }]);
  checkTargetCount(fields);
  const targets = await checkTargets(ctx, fields, nothing);
  const shown = await orUnavailable(() =>
    db.transaction(async (trx) => {
      const nowMs = clock.now();
      await requireRoom(trx, nowMs);
      const id = await insertWindow(trx, fields, nowMs);
      await planNew(trx, id, schedule, targets, nowMs);
      await queuePlannedMailing(trx, { windowId: id, nowMs });
      return showWindow(trx, id, nowMs);
    }),
  );
  ctx.committed();
  ctx.changed();
  ctx.mailDue();
  return shown;
}

/** @throws AppError impossible: as many windows as there may be have not ended yet */
export async function requireRoom(trx: Database, nowMs: number, exceptId = 0): Promise<void> {
  await lockWindows(trx);
  if ((await countUnended(trx, nowMs, exceptId)) < mostWindows) return;
  const params = { max: mostWindows };
  throw new AppError("impossible", "There are {max} planned maintenances already, delete one first", { params });
}
