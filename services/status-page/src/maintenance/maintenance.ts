import { AppError, invalid } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { Maintenance, maintenanceInput } from "@sonde/proto/http/status/maintenance";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { queuePlannedMailing } from "../mails/tell.ts";
import { changedFields, checkSchedule, checkTargetCount, type MaintenancePatch, newFields } from "./fields.ts";
import { showWindow } from "./list.ts";
import { dropAhead, endRunning, runningOccurrence } from "./occurrence-store.ts";
import { aheadMs, planNew, replan } from "./plan.ts";
import { occurrenceAt, occurrencesAfter, type Schedule } from "./schedule.ts";
import {
  buryWindow,
  countUnended,
  findWindow,
  insertWindow,
  lockWindow,
  lockWindows,
  occurrencesChanged,
  updateWindow,
  type Window,
  type WindowFields,
  type WindowTargets,
} from "./store.ts";
import { checkTargets } from "./targets.ts";

const mostWindows = 100;

/**
 * Plans maintenance. It covers no past time: one whose start has passed begins now.
 * @throws AppError invalid; impossible if a target does not exist, or a hundred windows have not ended yet
 */
export async function createMaintenance(ctx: Context, input: z.output<typeof maintenanceInput>): Promise<Maintenance> {
  const { db, clock } = ctx;
  const fields = newFields(input);
  const schedule = checkSchedule(fields, null, clock.now());
  if (!aheadOf(schedule, clock.now())) throw invalid([{ path: "end", message: "It lies in the past" }]);
  checkTargetCount(fields);
  const targets = await checkTargets(ctx, fields, { monitorIds: [], agentIds: [] });
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
async function requireRoom(trx: Database, nowMs: number, exceptId = 0): Promise<void> {
  await lockWindows(trx);
  if ((await countUnended(trx, nowMs, exceptId)) < mostWindows) return;
  const params = { max: mostWindows };
  throw new AppError("impossible", "There are {max} planned maintenances already, delete one first", { params });
}

const missing = () => new AppError("not_found", "Maintenance does not exist");

/**
 * Changes a window; absent fields stay. The past stays as it was: a running occurrence ends earlier or later, or, if
 * other targets are named, ends and begins again.
 * @throws AppError not_found; invalid; impossible where a target does not exist
 */
export async function updateMaintenance(
  ctx: Context,
  { id, ...patch }: MaintenancePatch & { id: number },
): Promise<Maintenance> {
  const { db, clock } = ctx;
  const known = await orUnavailable(() => findWindow(db, id));
  if (known === undefined) throw missing();
  const asked = changedFields(known, patch);
  const namesTargets = patch.monitors !== undefined || patch.agents !== undefined;
  if (namesTargets) checkTargetCount(asked);
  const targets = namesTargets ? await checkTargets(ctx, asked, known) : {};
  const shown = await orUnavailable(() =>
    db.transaction(async (trx) => {
      const nowMs = clock.now();
      if (isMoved(known, asked)) await requireRoom(trx, nowMs, id);
      const before = await lockWindow(trx, id);
      if (before === undefined) throw missing();
      const fields = { ...changedFields(before, patch), ...targets };
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

/**
 * Ends the running occurrence of a window now; later ones stay. @throws AppError not_found; impossible if none is
 * running
 */
export async function endMaintenance(ctx: Context, id: number): Promise<Maintenance> {
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
        await updateWindow(trx, id, { endMs: Math.max(nowMs, window.startMs + 1) }, nowMs);
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

/** Whether anything of it runs at an instant, or follows. */
const aheadOf = (schedule: Schedule, nowMs: number): boolean =>
  occurrenceAt(schedule, nowMs) !== undefined || occurrencesAfter(schedule, nowMs, nowMs + aheadMs).length > 0;
