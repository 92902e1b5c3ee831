import type { UpdateAnnouncementRequest } from "@sonde/proto/gen/status/v1/status";
import { announcementPatch } from "@sonde/proto/http/status/announcements";
import type { Context } from "../context.ts";
import { check, targetsOf } from "./input.ts";
import { missing } from "./limits.ts";
import type { AnnouncementWithUpdates } from "./list-store.ts";
import * as store from "./store.ts";
import { refuseUnknown } from "./targets.ts";

/** An empty text clears the field; an absent one leaves it. */
const orNull = (text: string | undefined) => (text === "" ? null : text);

/**
 * Changes an announcement except its updates; absent fields are unchanged.
 * @throws AppError `not_found`, `invalid`; `impossible`: something that it names does not exist
 */
export async function updateAnnouncement(
  ctx: Context,
  request: UpdateAnnouncementRequest,
): Promise<AnnouncementWithUpdates> {
  const { id, title, impact } = request;
  const input = check(announcementPatch, {
    title,
    impact,
    ...targetsOf(request.targets),
    incidentId: orNull(request.incidentId),
    postMortem: orNull(request.postMortem),
  });
  const before = await store.find(ctx.db, id);
  if (before === undefined) throw missing();
  await refuseUnknown(ctx.sources, input, {
    monitors: before.monitorIds,
    agents: before.agentIds,
    incidentId: before.incidentId,
  });
  const changed = await ctx.db.transaction(async (trx) => {
    if ((await store.lock(trx, id)) === undefined) throw missing();
    const { monitors: monitorIds, agents: agentIds, ...rest } = input;
    const announcement = await store.change(trx, id, { ...rest, monitorIds, agentIds }, ctx.clock.now());
    return { announcement, updates: await store.updatesOf(trx, id) };
  });
  ctx.changed();
  return changed;
}
