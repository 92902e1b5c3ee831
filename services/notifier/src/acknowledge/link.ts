import { AppError } from "@sonde/kit/errors";
import { secretContexts } from "@sonde/kit/secrets";
import { incidentId } from "@sonde/proto/http/incidents/incidents";
import { z } from "zod";
import type { Context } from "../context.ts";
import type { Links } from "../messages/render.ts";

type LinkContext = Pick<Context, "secrets" | "clock" | "publicUrl">;

/** What a link refers to: the incident, and the channel that it was sent to. */
export type AcknowledgeLink = { incidentId: string; channelId: number };

const validMs = 7 * 24 * 3_600_000;
const shape = z.object({ incidentId, channelId: z.int(), expiresAtMs: z.number() });

/**
 * A token for one incident and one channel, valid for seven days: sealed, so that it cannot be forged; safe in a URL.
 */
export function acknowledgeToken({ secrets, clock }: LinkContext, { incidentId, channelId }: AcknowledgeLink): string {
  const stands = { incidentId, channelId, expiresAtMs: clock.now() + validMs };
  return secrets.seal(JSON.stringify(stands), secretContexts.acknowledgeLink);
}

/** Reads a token. @throws AppError `invalid`: not sealed here, changed, or expired */
export function readAcknowledgeToken({ secrets, clock }: LinkContext, token: string): AcknowledgeLink {
  try {
    const { expiresAtMs, ...link } = shape.parse(JSON.parse(secrets.open(token, secretContexts.acknowledgeLink)));
    if (expiresAtMs > clock.now()) return link;
  } catch {
    // The reason is not revealed to an anonymous caller.
  }
  throw notValid();
}

export const notValid = (): AppError => new AppError("invalid", "This link is not valid, or too old");

/** The links in messages of a channel; none if PUBLIC_URL is not set. */
export function linksOf(ctx: LinkContext, channelId: number): (incidentId: string) => Links {
  const { publicUrl } = ctx;
  if (publicUrl === null) return () => ({});
  return (incidentId) => ({
    incidentUrl: `${publicUrl}/incidents/${incidentId}`,
    acknowledgeUrl: `${publicUrl}/acknowledge?token=${acknowledgeToken(ctx, { incidentId, channelId })}`,
  });
}
