import { AppError } from "@sonde/kit/errors";
import { secretContexts } from "@sonde/kit/secrets";
import { linkedIncidentId } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import * as z from "zod";
import type { Context } from "../context.ts";
import { tapOf } from "./tap.ts";
import { ownerIn } from "../on-call/account-mail.ts";
import type { Links } from "../messages/render.ts";
import { isDrill } from "../on-call/drill-settings.ts";

type LinkContext = Pick<Context, "secrets" | "clock" | "publicUrl">;

const validMs = 7 * 24 * 3_600_000;
const shape = z.object({ incidentId: linkedIncidentId, channelId: z.int(), expiresAtMs: z.number() });

/**
 * Links open the app in the message's language. Tokens are for one incident and channel, valid for seven days, and
 * sealed; no links without PUBLIC_URL, only the text for buttons.
 */
export function linksOf(ctx: LinkContext, channelId: number): (incidentId: string, language: Language) => Links {
  const { publicUrl, secrets, clock } = ctx;
  return (incident, language) => {
    const tap = tapOf(ctx, channelId, incident);
    if (publicUrl === null) return { tap };
    const plain = { incidentId: incident, channelId, expiresAtMs: clock.now() + validMs };
    const token = secrets.seal(JSON.stringify(plain), secretContexts.acknowledgeLink);
    const acknowledgeUrl = `${publicUrl}/acknowledge?token=${token}&lang=${language}`;
    const path = isDrill(incident) ? "on-call/drills" : `incidents/${incident}`;
    return { incidentUrl: `${publicUrl}/${path}?lang=${language}`, acknowledgeUrl, tap };
  };
}

/**
 * Returns the link's incident, the author of an acknowledgement (the channel's name, or that of its owner), and the
 * target's note as in the incident's messages. Changes nothing, since mail scanners follow links, unless somebody
 * acknowledges through it: that proves the channel. Links of a deleted channel are invalid.
 * @throws AppError `invalid`: forged, changed, or expired; an anonymous caller does not learn which
 */
export async function readAcknowledgeLink(
  { secrets, clock, db }: Context,
  { token, acknowledges = false }: { token: string; acknowledges?: boolean },
): Promise<{ incidentId: string; by: string; runbook: string }> {
  const link = openToken(secrets, token);
  if (link === null || link.expiresAtMs <= clock.now()) throw notValid();
  const channel = await db("channels")
    .where({ id: link.channelId })
    .first<{ name: string; userId: number | null } | undefined>("name", "user_id");
  if (channel === undefined) throw notValid();
  if (acknowledges) {
    await db("channels")
      .where({ id: link.channelId })
      .update({ provenAtMs: Math.round(clock.now()) });
  }
  // However a user acknowledges, it counts as one person.
  const by = channel.userId === null ? channel.name : ownerIn(channel.name);
  const incident = await db("incidents")
    .where({ id: link.incidentId })
    .first<{ note: string | null } | undefined>(db.raw("facts->>'note' as note"));
  return { incidentId: link.incidentId, by, runbook: incident?.note ?? "" };
}

function openToken(secrets: Context["secrets"], token: string): z.output<typeof shape> | null {
  try {
    return shape.parse(JSON.parse(secrets.open(token, secretContexts.acknowledgeLink)));
  } catch {
    return null;
  }
}

const notValid = (): AppError => new AppError("invalid", "This link is invalid or has expired");
