import * as store from "./store.ts";
import type { Database } from "@sonde/kit/postgres/database";
import type {
  Announcement,
  announcementInput,
  announcementPatch,
  announcementUpdateInput,
} from "@sonde/proto/http/status/announcements";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { deleteAllOf } from "../mails/mailing-store.ts";
import { queueUpdateMailing } from "../mails/tell.ts";
import { dayMs, missing, refuseTooLong, refuseTooMany, refuseTooManyADay } from "./limits.ts";
import { readWhole } from "./store.ts";
import { refuseUnknown } from "./targets.ts";

/** One, with its updates. @throws AppError `not_found` */
export async function getAnnouncement({ db }: { db: Database }, id: number): Promise<Announcement> {
  const [found] = await readWhole(db, [id]);
  if (found === undefined) throw missing();
  return found;
}

/**
 * Announces an incident, with its first update if a text is given; subscribers are notified of that update.
 * @throws AppError `impossible`: something that it names does not exist (with paths), or there are too many
 */
export async function createAnnouncement(
  ctx: Context,
  input: z.output<typeof announcementInput>,
): Promise<Announcement> {
  await refuseUnknown(ctx.sources, input);
  const nowMs = ctx.clock.now();
  const { title, impact, monitors, agents, incidentId = null, state, text = "" } = input;
  const made = await ctx.db.transaction(async (trx) => {
    refuseTooMany(await store.countForUpdate(trx), state !== "resolved");
    refuseTooManyADay(await store.countSince(trx, nowMs - dayMs), nowMs);
    const fields = { title, impact, monitorIds: monitors, agentIds: agents, incidentId };
    const announcementId = await store.insert(trx, { ...fields, state, nowMs });
    if (text.trim() !== "") {
      const updateId = await store.insertUpdate(trx, { announcementId, state, text, nowMs });
      await queueUpdateMailing(trx, { announcementId, updateId, nowMs });
    }
    return getAnnouncement({ db: trx }, announcementId);
  });
  ctx.changed();
  ctx.mailDue();
  return made;
}

/**
 * Changes an announcement except its updates; absent fields are unchanged, and an empty post-mortem is none.
 * @throws AppError `not_found`; `impossible`: something that it names does not exist
 */
export async function updateAnnouncement(
  ctx: Context,
  { id, ...input }: z.output<typeof announcementPatch> & { id: number },
): Promise<Announcement> {
  await refuseUnknown(ctx.sources, input, await getAnnouncement(ctx, id));
  const { monitors: monitorIds, agents: agentIds, ...rest } = input;
  const postMortem = input.postMortem === "" ? null : input.postMortem;
  const changed = await ctx.db.transaction(async (trx) => {
    if ((await store.lock(trx, id)) === undefined) throw missing();
    await store.change(trx, id, { ...rest, postMortem, monitorIds, agentIds }, ctx.clock.now());
    return getAnnouncement({ db: trx }, id);
  });
  ctx.changed();
  return changed;
}

/**
 * Adds an update, which becomes the announcement's state: `resolved` ends it, any other state opens it again.
 * Subscribers are notified.
 * @throws AppError `not_found`; `impossible`: there are too many updates, or open announcements
 */
export async function addUpdate(
  ctx: Context,
  { id, state, text }: z.output<typeof announcementUpdateInput> & { id: number },
): Promise<Announcement> {
  const nowMs = ctx.clock.now();
  const changed = await ctx.db.transaction(async (trx) => {
    // In the order that creating has: of two locks the same is always taken first.
    const counted = await store.countForUpdate(trx);
    const before = await store.lock(trx, id);
    if (before === undefined) throw missing();
    const isReopened = before.resolvedAtMs !== null && state !== "resolved";
    if (isReopened) refuseTooMany({ ...counted, all: 0 }, true);
    refuseTooLong(await store.measureUpdates(trx, id), text);
    const updateId = await store.insertUpdate(trx, { announcementId: id, state, text, nowMs });
    const resolvedAtMs = state === "resolved" ? (before.resolvedAtMs ?? nowMs) : null;
    await store.change(trx, id, { state, resolvedAtMs }, nowMs);
    await queueUpdateMailing(trx, { announcementId: id, updateId, nowMs });
    return getAnnouncement({ db: trx }, id);
  });
  ctx.changed();
  ctx.mailDue();
  return changed;
}

/** Deletes it with its updates, and with unsent mails. @throws AppError `not_found` */
export async function removeAnnouncement(ctx: Context, id: number): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    if (!(await store.remove(trx, id))) throw missing();
    await deleteAllOf(trx, `announcement:${id}`);
  });
  ctx.changed();
}
