import type { Context } from "../context.ts";
import { notValid, readAcknowledgeToken } from "./link.ts";
import { channelName } from "./store.ts";

/**
 * What the link of a message stands for, and who acknowledges by it: the channel's name. Nothing is changed: programs that
 * look for harmful mail follow links. A channel that was deleted takes its links along.
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
