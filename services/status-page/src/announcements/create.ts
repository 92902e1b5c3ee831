import type { CreateAnnouncementRequest } from "@sonde/proto/gen/status/v1/status";
import { announcementInput } from "@sonde/proto/http/status/announcements";
import type { Context } from "../context.ts";
import { queueUpdateMailing } from "../mails/tell.ts";
import { check, targetsOf } from "./input.ts";
import { dayMs, refuseTooMany, refuseTooManyADay } from "./limits.ts";
import type { AnnouncementWithUpdates } from "./list-store.ts";
import * as store from "./store.ts";
import { refuseUnknown } from "./targets.ts";

/**
 * Announces an incident, with its first update if a text is given; subscribers are notified of that update.
 * @throws AppError `invalid`; `impossible`: something that it names does not exist (with paths), or there are too many
 */
export async function createAnnouncement(
  ctx: Context,
  request: CreateAnnouncementRequest,
): Promise<AnnouncementWithUpdates> {
  const { title, impact, incidentId, state, text } = request;
  const input = check(announcementInput, {
    title,
    impact,
    ...targetsOf(request.targets),
    incidentId: incidentId || undefined,
    state: state || undefined,
    text,
  });
  await refuseUnknown(ctx.sources, input);
  const nowMs = ctx.clock.now();
  const made = await ctx.db.transaction(async (trx) => {
    refuseTooMany(await store.countForUpdate(trx), input.state !== "resolved");
    refuseTooManyADay(await store.countSince(trx, nowMs - dayMs), nowMs);
    const announcement = await store.insert(trx, {
      title: input.title,
      impact: input.impact,
      monitorIds: input.monitors,
      agentIds: input.agents,
      incidentId: input.incidentId ?? null,
      state: input.state,
      nowMs,
    });
    if (!input.text?.trim()) return { announcement, updates: [] };
    const update = { announcementId: announcement.id, state: input.state, text: input.text, nowMs };
    await queueUpdateMailing(trx, {
      announcementId: announcement.id,
      updateId: await store.insertUpdate(trx, update),
      nowMs,
    });
    return { announcement, updates: await store.updatesOf(trx, announcement.id) };
  });
  ctx.changed();
  ctx.mailDue();
  return made;
}
