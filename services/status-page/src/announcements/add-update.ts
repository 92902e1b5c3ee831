import type { AddAnnouncementUpdateRequest } from "@sonde/proto/gen/status/v1/status";
import { announcementUpdateInput } from "@sonde/proto/http/status/announcements";
import type { Context } from "../context.ts";
import { queueUpdateMailing } from "../mails/tell.ts";
import { check } from "./input.ts";
import { missing, refuseTooLong, refuseTooMany } from "./limits.ts";
import type { AnnouncementWithUpdates } from "./list-store.ts";
import * as store from "./store.ts";

/**
 * Adds an update, which becomes the announcement's state: `resolved` ends it, any other state opens it again.
 * Subscribers are notified.
 * @throws AppError `not_found`, `invalid`; `impossible`: there are too many updates, or open announcements
 */
export async function addUpdate(ctx: Context, request: AddAnnouncementUpdateRequest): Promise<AnnouncementWithUpdates> {
  const { state, text } = check(announcementUpdateInput, { state: request.state, text: request.text });
  const nowMs = ctx.clock.now();
  const { id } = request;
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
    const announcement = await store.change(trx, id, { state, resolvedAtMs }, nowMs);
    await queueUpdateMailing(trx, { announcementId: id, updateId, nowMs });
    return { announcement, updates: await store.updatesOf(trx, id) };
  });
  ctx.changed();
  ctx.mailDue();
  return changed;
}
