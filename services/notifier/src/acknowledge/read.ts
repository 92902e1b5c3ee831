import type { Context } from "../context.ts";
import { notValid, readAcknowledgeToken } from "./link.ts";
import { channelName } from "./store.ts";

/**
 * The incident of a message's link and the author of its acknowledgement: the channel's name. Changes nothing, since
 * mail scanners follow links. Links of a deleted channel are invalid.
 * @throws AppError `invalid`
 */
export async function readAcknowledgeLink(
  ctx: Context,
  { token }: { token: string },
): Promise<{ incidentId: string; by: string }> {
  const { incidentId, channelId } = readAcknowledgeToken(ctx, token);
  const by = await channelName(ctx.db, channelId);
  if (by === undefined) throw notValid();
  return { incidentId, by };
}
