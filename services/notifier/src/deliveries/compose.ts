import type { ChangedDelivery, DeliveryContext } from "./delivering.ts";
import type { ClaimedMessage } from "./claim-store.ts";
import { failDeliveries } from "./settle-store.ts";
import type { ReadyChannel } from "./ready-channel.ts";
import type { Database } from "@sonde/kit/postgres/database";
import type { AlertFacts } from "../alerts/alert.ts";
import type { UsedTemplate } from "../messages/render.ts";

/** Why the end of an incident is not sent if its opening was not delivered. */
const beginningFailed = "Not sent: its opening could not be delivered here";

/** The body of a message, why it is not sent at all, or the fault of our own code. */
type ComposedMessage = { body: string } | { unsent: string } | { fault: unknown };

/**
 * Composes a message of its alerts, in its channel's own form. The end of an incident is left out if its opening failed
 * for good (`all`: its alerts): its recipients do not know of it. Rejects only if the database is unavailable.
 */
export async function compose(
  deps: DeliveryContext,
  { id, key, language, templateId }: ClaimedMessage,
  channel: ReadyChannel,
  all: readonly MessagePart[],
): Promise<ComposedMessage> {
  const parts = all.filter(({ moment, before }) => moment !== "closed" || before !== "failed");
  const [first] = parts;
  if (first === undefined) return { unsent: beginningFailed };
  const unsent = all.filter((part) => !parts.includes(part));
  if (unsent.length > 0) deps.changed(await leaveOut(deps, id, unsent));
  const template = templateId === null ? null : await templateOf(deps.db, templateId);
  const answered = answeredBy(parts);
  const isMail = channel.type.composeMail !== undefined;
  const answers = isMail && answered !== null ? await subjectOf(deps.db, answered.id) : undefined;
  try {
    const message = deps.render({
      key,
      alerts: parts.map(({ facts }) => facts),
      language,
      template,
      linksOf: deps.linksOf(channel.id),
      isTest: first.facts.kind === "test",
    });
    return { body: channel.type.compose(message, channel.config, answered?.reference, answers) };
  } catch (fault) {
    return { fault };
  }
}

function leaveOut(
  { db, clock }: DeliveryContext,
  messageId: number,
  parts: readonly MessagePart[],
): Promise<ChangedDelivery[]> {
  const ids = parts.map(({ deliveryId }) => deliveryId);
  return failDeliveries(db, messageId, { ids, nowMs: clock.now(), answer: beginningFailed });
}

/** The message that this one replies to: the one that opened all of its incidents. Null if there is none. */
function answeredBy(parts: readonly MessagePart[]): { reference: string; id: number } | null {
  const [first] = parts;
  if (first === undefined || parts.some(({ reference }) => reference !== first.reference)) return null;
  const { reference, referenceId: id } = first;
  return reference === null || id === null ? null : { reference, id };
}

/** One alert of a message, and the incident's previous deliveries to its channel. */
export type MessagePart = {
  messageId: number;
  deliveryId: number;
  facts: AlertFacts;
  /** opened, closed, flapping:<n>, … */
  moment: string;
  /** Earlier deliveries, in this order: some delivered, or possibly delivered; all failed for good; none. */
  before: "told" | "failed" | "nothing";
  /** The provider's id of its first delivered message. */
  reference: string | null;
  /** The row of that message. */
  referenceId: number | null;
};

/** The alerts of messages, in the order in which they were decided. */
export async function partsOf(db: Database, messageIds: readonly number[]): Promise<MessagePart[]> {
  const { rows } = await db.raw<{ rows: MessagePart[] }>(
    `select deliveries.message_id, deliveries.id as delivery_id, alerts.facts, alerts.moment, coalesce(before.told, 'nothing') as before,
       before.reference, before.reference_id
     from deliveries
     join alerts on alerts.id = alert_id
     left join lateral (
       select
         case when bool_or(messages.status <> 'failed' or exists (
           select from attempts where message_id = messages.id and (ended_at_ms is null or in_doubt)
         )) then 'told' else 'failed' end as told,
         (array_agg(messages.reference order by earlier.id) filter (where messages.reference is not null))[1]
           as reference,
         (array_agg(messages.id order by earlier.id) filter (where messages.reference is not null))[1] as reference_id
       from deliveries earlier
       join messages on messages.id = earlier.message_id
       where earlier.incident_id = deliveries.incident_id and earlier.channel_id = deliveries.channel_id
         and earlier.id < deliveries.id
       having count(*) > 0
     ) before on alerts.moment <> 'opened'
     where deliveries.message_id = any(?)
     order by deliveries.id`,
    [[...messageIds]],
  );
  return rows;
}

/** The subject of a mail that was sent; undefined where the message was none. */
async function subjectOf(db: Database, messageId: number): Promise<string | undefined> {
  const row = await db("messages").where({ id: messageId }).first<{ body: string | null } | undefined>("body");
  const { subject } = JSON.parse(row?.body ?? "{}") as { subject?: unknown };
  return typeof subject === "string" ? subject : undefined;
}

/** A template as messages use it; null if it was deleted. */
async function templateOf(db: Database, id: number): Promise<UsedTemplate | null> {
  const row = await db("templates").where({ id }).first<UsedTemplate | undefined>("kind", "subject", "content");
  return row ?? null;
}
