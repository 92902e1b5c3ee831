import { AppError } from "@sonde/kit/errors";
import { secretContexts } from "@sonde/kit/secrets";
import { incidentId } from "@sonde/proto/http/incidents/incidents";
import { z } from "zod";
import type { Context } from "../context.ts";
import type { Links } from "../messages/render.ts";
import type { Database } from "@sonde/kit/postgres/database";

type LinkContext = Pick<Context, "secrets" | "clock" | "publicUrl">;

/** What a link refers to: the incident, and the channel that it was sent to. */
type AcknowledgeLink = { incidentId: string; channelId: number };

const validMs = 7 * 24 * 3_600_000;
const shape = z.object({ incidentId, channelId: z.int(), expiresAtMs: z.number() });

/**
 * A token for one incident and one channel, valid for seven days: sealed, so that it cannot be forged; safe in a URL.
 */
function acknowledgeToken({ secrets, clock }: LinkContext, { incidentId, channelId }: AcknowledgeLink): string {
  const stands = { incidentId, channelId, expiresAtMs: clock.now() + validMs };
  return secrets.seal(JSON.stringify(stands), secretContexts.acknowledgeLink);
}

/** Reads a token. @throws AppError `invalid`: not sealed here, changed, or expired */
function readAcknowledgeToken({ secrets, clock }: LinkContext, token: string): AcknowledgeLink {
  try {
    const { expiresAtMs, ...link } = shape.parse(JSON.parse(secrets.open(token, secretContexts.acknowledgeLink)));
    if (expiresAtMs > clock.now()) return link;
  } catch {
    // The reason is not revealed to an anonymous caller.
  }
  throw notValid();
}

const notValid = (): AppError => new AppError("invalid", "This link is not valid, or too old");

/** The links in messages of a channel; none if PUBLIC_URL is not set. */
export function linksOf(ctx: LinkContext, channelId: number): (incidentId: string) => Links {
  const { publicUrl } = ctx;
  if (publicUrl === null) return () => ({});
  return (incidentId) => ({
    incidentUrl: `${publicUrl}/incidents/${incidentId}`,
    acknowledgeUrl: `${publicUrl}/acknowledge?token=${acknowledgeToken(ctx, { incidentId, channelId })}`,
  });
}

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

export async function channelName(db: Database, id: number): Promise<string | undefined> {
  return (await db("channels").where({ id }).first<{ name: string } | undefined>("name"))?.name;
}
