import type { Database } from "@sonde/kit/postgres/database";
import type { AlertFacts } from "../alerts/alert.ts";
import type { UsedTemplate } from "../messages/render.ts";

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
    `select deliveries.message_id as "messageId", deliveries.id as "deliveryId", alerts.facts, alerts.moment, coalesce(before.told, 'nothing') as before,
       before.reference, before.reference_id as "referenceId"
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
export async function subjectOf(db: Database, messageId: number): Promise<string | undefined> {
  const row = await db("messages").where({ id: messageId }).first<{ body: string | null } | undefined>("body");
  const { subject } = JSON.parse(row?.body ?? "{}") as { subject?: unknown };
  return typeof subject === "string" ? subject : undefined;
}

/** A template as messages use it; null if it was deleted. */
export async function templateOf(db: Database, id: number): Promise<UsedTemplate | null> {
  const row = await db("templates").where({ id }).first<UsedTemplate | undefined>("kind", "subject", "content");
  return row ?? null;
}
