import { record } from "@sonde/domain/audit";
import { refuseOwned } from "@sonde/domain/managed/table";
import { AppError, impossible } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { AuditAction } from "@sonde/proto/http/audit";
import type { Maintenance, maintenanceInput, maintenancePatch } from "@sonde/proto/http/status/maintenance";
import type { z } from "zod";
import { changing, type Context } from "../context.ts";
import { queuePlannedMailing } from "../mails/mailings.ts";
import {
  changedFields,
  checkSchedule,
  checkTargetCount,
  isMoved,
  newFields,
  requireAhead,
  windowChanges,
} from "./fields.ts";
import { showWindow } from "./list.ts";
import {
  coveredBy,
  dropAhead,
  endRunning,
  runningOccurrence,
  tombstoneWindow,
  countUnended,
  findWindow,
  insertWindow,
  lockWindow,
  lockWindows,
  occurrencesChanged,
  sameTargets,
  updateWindow,
  type Window,
  type WindowFields,
  type WindowTargets,
} from "./store.ts";
import { replan } from "./plan.ts";
import type { Schedule } from "./schedule.ts";
import { taggedBy } from "./tags.ts";
import { refuseUnknownPages } from "../pages/store.ts";
import { queryExisting, missingTargetErrors, targetsOf } from "../collect/targets.ts";

const maxWindows = 100;

/**
 * Plans maintenance, which covers no past time: if its start has passed, it begins now.
 * @throws AppError `invalid`, or `impossible` if a target does not exist or too many windows have not ended yet
 */
export async function createMaintenance(ctx: Context, input: z.output<typeof maintenanceInput>): Promise<Maintenance> {
  const fields = newFields(input);
  const schedule = checkSchedule(fields, null, ctx.clock.now());
  requireAhead(schedule, ctx.clock.now());
  checkTargetCount(fields);
  const targets = await checkTargets(ctx, fields, { monitorIds: [], agentIds: [] });
  const tagged = await taggedBy(ctx.sources, fields.tags);
  return changing(ctx, async (trx, nowMs) => {
    const id = await addWindow(trx, { ...fields, ...targets, ...tagged }, schedule, nowMs);
    return showWindow(trx, id, nowMs);
  });
}

/** Plans a window within a transaction. @throws AppError `impossible` if there are too many */
export async function addWindow(
  trx: Database,
  fields: WindowFields,
  schedule: Schedule,
  nowMs: number,
): Promise<number> {
  await requireRoom(trx, nowMs);
  await refuseUnknownPages(trx, fields.pages);
  const id = await insertWindow(trx, fields, nowMs);
  await replan(trx, id, schedule, coveredBy(fields), { nowMs, isMoved: true });
  await queuePlannedMailing(trx, { windowId: id, nowMs });
  await recordWindow(trx, "create", null, await showWindow(trx, id, nowMs));
  return id;
}

async function recordWindow(
  trx: Database,
  action: AuditAction,
  before: Maintenance | null,
  after: Maintenance | null,
): Promise<void> {
  const { id, name } = (after ?? before)!;
  const target = { type: "maintenance", id, name } as const;
  await record(trx, "status-page", {
    action,
    target,
    before: before && definitionOf(before),
    after: after && definitionOf(after),
  });
}

const definitionOf = ({ status: _status, next: _next, upcoming: _upcoming, ...definition }: Maintenance) => definition;

/** @throws AppError `impossible` if too many windows have not ended yet */
async function requireRoom(trx: Database, nowMs: number, exceptId = 0): Promise<void> {
  await lockWindows(trx);
  if ((await countUnended(trx, nowMs, exceptId)) < maxWindows) return;
  const params = { max: maxWindows };
  throw new AppError("impossible", "The limit of {max} maintenance windows has been reached: delete one first", {
    params,
  });
}

/** @throws AppError `not_found` */
function found(window: Window | undefined): Window {
  if (window === undefined) throw new AppError("not_found", "Maintenance does not exist");
  return window;
}

/**
 * Changes the given fields of a window. Past time is unaffected: a running occurrence ends earlier or later, or if the
 * targets change, ends and begins again.
 * @throws AppError `not_found`, `invalid`, or `impossible` if a target does not exist
 */
export async function updateMaintenance(
  ctx: Context,
  { id, ...patch }: z.output<typeof maintenancePatch> & { id: number },
): Promise<Maintenance> {
  const known = found(await orUnavailable(() => findWindow(ctx.db, id)));
  const changed = changedFields(known, patch);
  const namesTargets = patch.monitors !== undefined || patch.agents !== undefined || patch.tags !== undefined;
  if (namesTargets) checkTargetCount(changed);
  const targets = namesTargets
    ? { ...(await checkTargets(ctx, changed, known)), ...(await taggedBy(ctx.sources, changed.tags)) }
    : {};
  return changing(ctx, async (trx, nowMs) => {
    if (isMoved(known, changed)) await requireRoom(trx, nowMs, id);
    const before = found(await lockWindow(trx, id));
    const fields = { ...changedFields(before, patch), ...targets };
    const owned = { kind: "maintenance", id, name: before.name } as const;
    await refuseOwned(trx, owned, () => windowChanges(before, fields).map(({ path }) => path));
    await changeWindow(trx, { id, before, fields }, nowMs);
    return showWindow(trx, id, nowMs);
  });
}

/** Changes a locked window. @throws AppError `invalid` */
export async function changeWindow(
  trx: Database,
  { id, before, fields }: { id: number; before: WindowFields; fields: WindowFields },
  nowMs: number,
): Promise<void> {
  const moved = isMoved(before, fields);
  const shownBefore = await showWindow(trx, id, nowMs);
  await refuseUnknownPages(trx, fields.pages, before.pages);
  await updateWindow(trx, id, fields, nowMs);
  const covered = coveredBy(fields);
  if (moved || !sameTargets(coveredBy(before), covered)) {
    const schedule = checkSchedule(fields, before, nowMs);
    if (moved && (await runningOccurrence(trx, id, nowMs)) === undefined) requireAhead(schedule, nowMs);
    await replan(trx, id, schedule, covered, { nowMs, isMoved: moved });
  }
  if (moved || before.isPublic !== fields.isPublic) await queuePlannedMailing(trx, { windowId: id, nowMs });
  await recordWindow(trx, "update", shownBefore, await showWindow(trx, id, nowMs));
}

/** Ends the running occurrence; later ones stay. @throws AppError `not_found`, `impossible` if none runs */
export const endMaintenance = (ctx: Context, id: number): Promise<Maintenance> =>
  changing(ctx, async (trx, nowMs) => {
    const window = found(await lockWindow(trx, id));
    if ((await runningOccurrence(trx, id, nowMs)) === undefined) {
      throw new AppError("impossible", "This maintenance is not in progress");
    }
    const before = await showWindow(trx, id, nowMs);
    await endRunning(trx, id, nowMs, nowMs);
    const endMs = Math.max(nowMs, window.startMs + 1);
    // A recurring window keeps its end.
    if (window.rrule === "") {
      await refuseOwned(trx, { kind: "maintenance", id, name: window.name }, () => ["end"]);
      await updateWindow(trx, id, { endMs }, nowMs);
    }
    await occurrencesChanged(trx, id, window.plannedUntilMs);
    const after = await showWindow(trx, id, nowMs);
    await recordWindow(trx, "end", before, after);
    return after;
  });

/** What it covered stays excluded from uptime. @throws AppError `not_found`, `conflict` if a source owns it */
export const deleteMaintenance = (ctx: Context, id: number): Promise<void> =>
  changing(ctx, async (trx, nowMs) => {
    const { name } = found(await lockWindow(trx, id));
    await refuseOwned(trx, { kind: "maintenance", id, name }, null);
    await removeWindow(trx, id, nowMs);
  });

/** Deletes a window within a transaction. @throws AppError `not_found` */
export async function removeWindow(trx: Database, id: number, nowMs: number): Promise<void> {
  const { plannedUntilMs } = found(await lockWindow(trx, id));
  await recordWindow(trx, "delete", await showWindow(trx, id, nowMs), null);
  await dropAhead(trx, id, nowMs);
  await endRunning(trx, id, nowMs, nowMs);
  await tombstoneWindow(trx, id, nowMs);
  await queuePlannedMailing(trx, { windowId: id, nowMs });
  await occurrencesChanged(trx, id, plannedUntilMs);
}

/**
 * Checks that a window's targets exist. Deleted ones that it had before are dropped, so a form can send back what
 * it received.
 * @throws AppError `impossible` for missing targets (`monitors.0`), or `unavailable` if they cannot be checked
 */
async function checkTargets(
  { sources }: Pick<Context, "sources">,
  { monitorIds, agentIds }: WindowTargets,
  before: WindowTargets,
): Promise<WindowTargets> {
  const existing = await queryExisting(sources, targetsOf(monitorIds, agentIds));
  const named = { monitors: monitorIds, agents: agentIds };
  const faults = missingTargetErrors(named, existing, targetsOf(before.monitorIds, before.agentIds));
  if (faults.length > 0) throw impossible(faults);
  return {
    monitorIds: monitorIds.filter((id) => existing.has({ type: "monitor", id })),
    agentIds: agentIds.filter((id) => existing.has({ type: "agent", id })),
  };
}
