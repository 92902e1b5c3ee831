import { AppError, invalid } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { UpdateMaintenanceRequest } from "@sonde/proto/gen/status/v1/status";
import type { Context } from "../context.ts";
import { queuePlannedMailing } from "../mails/tell.ts";
import { requireRoom } from "./create.ts";
import { changedFields, checkSchedule, checkTargetCount } from "./fields.ts";
import { showWindow } from "./list.ts";
import { runningOccurrence } from "./occurrence-store.ts";
import { aheadOf } from "./past.ts";
import { replan } from "./plan.ts";
import type { MaintenanceInit } from "./present.ts";
import { findWindow, lockWindow, updateWindow } from "./store.ts";
import { checkTargets } from "./targets.ts";
import type { WindowTargets, Window, WindowFields } from "./window.ts";

export const missing = () => new AppError("not_found", "Maintenance does not exist");

/**
 * Changes a window; absent fields stay. The past stays as it was: a running occurrence ends earlier or later, or, if
 * other targets are named, ends and begins again.
 * @throws AppError not_found; invalid; impossible where a target does not exist
 */
export async function updateMaintenance(ctx: Context, request: UpdateMaintenanceRequest): Promise<MaintenanceInit> {
  const { id, fields: given, targetTypes } = request;
  const { db, clock } = ctx;
  const known = await orUnavailable(() => findWindow(db, id));
  if (known === undefined) throw missing();
  const asked = given === undefined ? known : changedFields(known, given, targetTypes);
  if (given?.targets !== undefined) checkTargetCount(asked);
  const targets = given?.targets === undefined ? known : await checkTargets(ctx, asked, known);
  const shown = await orUnavailable(() =>
    db.transaction(async (trx) => {
      const nowMs = clock.now();
      if (given !== undefined && isMoved(known, asked)) await requireRoom(trx, nowMs, id);
      const before = await lockWindow(trx, id);
      if (before === undefined) throw missing();
      const fields =
        given === undefined
          ? before
          : withTargets(changedFields(before, given, targetTypes), targets, given.targets !== undefined);
      await change(trx, before, fields, nowMs);
      const isNews = isMoved(before, fields) || before.isPublic !== fields.isPublic;
      if (isNews) await queuePlannedMailing(trx, { windowId: id, nowMs });
      return showWindow(trx, id, nowMs);
    }),
  );
  ctx.committed();
  ctx.changed();
  ctx.mailDue();
  return shown;
}

async function change(trx: Database, before: Window, fields: WindowFields, nowMs: number): Promise<void> {
  const moved = isMoved(before, fields);
  await updateWindow(trx, before.id, fields, nowMs);
  if (!moved && !coversOthers(before, fields)) return;
  const schedule = checkSchedule(fields, before, nowMs);
  const runs = (await runningOccurrence(trx, before.id, nowMs)) !== undefined;
  if (moved && !runs && !aheadOf(schedule, nowMs)) throw invalid([{ path: "end", message: "It lies in the past" }]);
  await replan(trx, before.id, schedule, fields, { nowMs, isMoved: moved });
}

const isMoved = (before: WindowFields, after: WindowFields): boolean =>
  before.startMs !== after.startMs ||
  before.endMs !== after.endMs ||
  before.timeZone !== after.timeZone ||
  before.rrule !== after.rrule;

const coversOthers = (before: WindowTargets, after: WindowTargets): boolean =>
  String([before.monitorIds, before.agentIds.length, before.agentIds]) !==
  String([after.monitorIds, after.agentIds.length, after.agentIds]);

const withTargets = (
  fields: WindowFields,
  { monitorIds, agentIds }: WindowTargets,
  wereChecked: boolean,
): WindowFields => (wereChecked ? { ...fields, monitorIds, agentIds } : fields);
