import { AppError } from "@sonde/kit/errors";
import { secretContexts } from "@sonde/kit/secrets";
import { linkedIncidentId, linkedIncidentIds } from "@sonde/proto/http/incidents/incidents";
import * as z from "zod";
import type { Context } from "../context.ts";
import { tapOf } from "./tap.ts";
import { ownerIn } from "../on-call/contacts/account-mail.ts";
import { currentStep } from "../on-call/escalations.ts";
import { readProgress } from "../on-call/progress.ts";
import type { MessageLinks } from "../messages/render.ts";
import { isDrill } from "../on-call/drills/settings.ts";

type LinkContext = Pick<Context, "secrets" | "clock" | "publicUrl">;

const validMs = 7 * 24 * 3_600_000;
/** `others`: of a combined message, separated by commas. */
const shape = z.object({
  incidentId: linkedIncidentId,
  others: z.string().regex(linkedIncidentIds).optional(),
  channelId: z.int(),
  expiresAtMs: z.number(),
});

/**
 * Links open the app in the message's language. Tokens are for one channel, and one incident or those of a combined
 * message, valid for seven days, and sealed; no links without PUBLIC_URL, only the text for buttons, which fits one.
 */
export function linksOf(ctx: LinkContext, channelId: number): MessageLinks {
  const { publicUrl, secrets, clock } = ctx;
  return (incident, language, others = []) => {
    const tap = others.length === 0 ? tapOf(ctx, channelId, incident) : undefined;
    if (publicUrl === null) return { tap };
    const joined = others.length === 0 ? undefined : others.join(",");
    const plain = { incidentId: incident, others: joined, channelId, expiresAtMs: clock.now() + validMs };
    const token = secrets.seal(JSON.stringify(plain), secretContexts.acknowledgeLink);
    const acknowledgeUrl = `${publicUrl}/acknowledge?token=${token}&lang=${language}`;
    const path = isDrill(incident) ? "on-call/drills" : `incidents/${incident}`;
    return { incidentUrl: `${publicUrl}/${path}?lang=${language}`, acknowledgeUrl, tap };
  };
}

/**
 * Returns the link's incident, the others of a combined message, the author of an acknowledgement (the channel's name, or that of its owner), the
 * target's note as in the incident's messages, who acknowledged it, and how many its policy needs. Changes nothing, since mail scanners follow links, unless somebody
 * acknowledges through it: that proves the channel. Links of a deleted channel are invalid.
 * @throws AppError `invalid`: forged, changed, or expired; an anonymous caller does not learn which
 */
export async function readAcknowledgeLink(
  { secrets, clock, db }: Context,
  { token, acknowledges = false }: { token: string; acknowledges?: boolean },
): Promise<{
  incidentId: string;
  others: string[];
  by: string;
  runbook: string;
  acknowledgers: string[];
  needs: number;
}> {
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
  const progress = await readProgress(db, link.incidentId);
  const needs = (progress && currentStep(progress.escalation, progress.policy)?.needs) ?? 1;
  const acknowledgers = [...(progress?.acknowledgedBy ?? [])];
  const others = link.others?.split(",") ?? [];
  const runbook = others.length > 0 ? "" : (incident?.note ?? "");
  return { incidentId: link.incidentId, others, by, runbook, acknowledgers, needs };
}

function openToken(secrets: Context["secrets"], token: string): z.output<typeof shape> | null {
  try {
    return shape.parse(JSON.parse(secrets.open(token, secretContexts.acknowledgeLink)));
  } catch {
    return null;
  }
}

const notValid = (): AppError => new AppError("invalid", "This link is invalid or has expired");
