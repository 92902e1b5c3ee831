import type { Database } from "@sonde/kit/postgres/database";
import type { ChangedDelivery } from "./delivering.ts";

/** The size of a batch, so that other transactions do not wait long for a row. */
const atOnce = 500;

export type Failing = {
  /** Of this channel, those that are due; null: of all channels, those whose time is over. */
  channelId: number | null;
  /** Is left unchanged. */
  except?: number | null;
  nowMs: number;
  answer: string;
};

/**
 * Fails messages that are not being sent at the moment, and records the reason in an attempt of no duration. Returns
 * the deliveries that failed; where more messages match than fit in one statement, the next call continues.
 */
export async function failMessages(db: Database, { channelId, except = null, nowMs, answer }: Failing) {
  const which = channelId === null ? "gives_up_at_ms <= :nowMs" : "channel_id = :channelId and due_at_ms <= :nowMs";
  const { rows } = await db.raw<{ rows: ChangedDelivery[] }>(
    `with failed as (
       update messages
       set status = 'failed', settled_at_ms = :nowMs, attempts = attempts + 1, takes_alerts = false, lease = null,
         lease_until_ms = null
       where id in (
         select id from messages
         where ${which} and status = 'pending' and (lease_until_ms is null or lease_until_ms <= :nowMs)
           and id is distinct from :except::bigint
         order by id limit ${atOnce} for update skip locked
       )
       returning id, attempts, channel_id
     ), said as (
       insert into attempts (message_id, number, started_at_ms, ended_at_ms, answer)
       select id, attempts, :nowMs, :nowMs, :answer from failed
     ), told as (
       update deliveries set status = 'failed' from failed where message_id = failed.id
       returning deliveries.id, deliveries.channel_id, incident_id, created_at_ms
     ), settled as (
       update channels set last_settled_at_ms = :nowMs, last_settled_status = 'failed'
       where id in (select channel_id from failed)
     )
     select id, channel_id as "channelId", incident_id as "incidentId", 'failed' as status,
       created_at_ms as "createdAtMs"
     from told`,
    { channelId, except, nowMs: Math.round(nowMs), answer },
  );
  return rows;
}

/**
 * Fails some deliveries of a message that is about to be sent, while the others continue: they get a message of their
 * own that failed.
 */
export async function failDeliveries(
  db: Database,
  messageId: number,
  { ids, nowMs, answer }: { ids: readonly number[]; nowMs: number; answer: string },
): Promise<ChangedDelivery[]> {
  const { rows } = await db.raw<{ rows: ChangedDelivery[] }>(
    `with made as (
       insert into messages
         (key, channel_id, targets, language, template_id, status, created_at_ms, due_at_ms, gives_up_at_ms, attempts,
          settled_at_ms)
       select gen_random_uuid()::text, channel_id, '{}', language, template_id, 'failed', created_at_ms, due_at_ms,
         gives_up_at_ms, 1, :nowMs
       from messages where id = :messageId
       returning id
     ), said as (
       insert into attempts (message_id, number, started_at_ms, ended_at_ms, answer)
       select id, 1, :nowMs, :nowMs, :answer from made
     )
     update deliveries set message_id = made.id, status = 'failed' from made
     where message_id = :messageId and deliveries.id = any(:ids)
     returning deliveries.id, channel_id as "channelId", incident_id as "incidentId", status,
       created_at_ms as "createdAtMs"`,
    { messageId, ids: [...ids], nowMs: Math.round(nowMs), answer },
  );
  return rows;
}
