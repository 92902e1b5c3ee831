import type { Database } from "@sonde/kit/postgres/database";
import type { ClaimedMessage, ChangedDelivery, AttemptResult } from "./delivery-context.ts";

/**
 * Records the end of an attempt. Ignored if another process took over the lease, unless the message was delivered,
 * which is true in any case.
 * @param channelId the channel whose health it affects, or `null`
 * @returns the deliveries that changed
 */
export async function recordEnding(
  db: Database,
  { id, attempts, lease }: ClaimedMessage,
  { channelId, ...ending }: AttemptResult & { channelId: number | null },
): Promise<ChangedDelivery[]> {
  const { rows } = await db.raw<{ rows: ChangedDelivery[] }>(
    `with ended as (
       update attempts set ended_at_ms = :endedAtMs, status_code = :statusCode, answer = :answer, in_doubt = :inDoubt
       where message_id = :id and number = :attempts
     ), settled as (
       update messages
       set status = :status, lease = null, lease_until_ms = null, reference = coalesce(:reference, reference),
         due_at_ms = case when :status = 'pending' then :dueAtMs else due_at_ms end,
         settled_at_ms = case when :status = 'pending' then null else :endedAtMs::bigint end
       where id = :id and status = 'pending' and (lease = :lease or :status = 'delivered')
       returning id
     ), notified as (
       update deliveries set status = :status from settled where message_id = settled.id and :status <> 'pending'
     ), judged as (
       update channels set
         last_settled_at_ms = case when :status = 'pending' then last_settled_at_ms else :endedAtMs::bigint end,
         last_settled_status = case when :status = 'pending' then last_settled_status else :status end,
         is_healthy = case :health when 'good' then true when 'unchanged' then is_healthy else false end,
         proven_at_ms = case when :status = 'delivered' and type <> 'twilio-voice' and exists (
           select from deliveries where message_id = :id and incident_id like 'd%'
         ) then :endedAtMs::bigint else proven_at_ms end,
         is_dead = case :health when 'good' then false when 'dead' then true else is_dead end,
         refusal = case :health when 'good' then null when 'unchanged' then refusal else :answer end,
         refused_at_ms = case :health when 'good' then null when 'unchanged' then refused_at_ms else :endedAtMs::bigint end,
         tried_at_ms = case when :health = 'good' then null else tried_at_ms end
       where id = :channelId and exists (select from settled) and (:status <> 'pending' or :health <> 'unchanged')
     )
     select id, channel_id, incident_id, :status as status, created_at_ms
     from deliveries where message_id in (select id from settled)`,
    {
      ...ending,
      id,
      attempts,
      lease,
      channelId,
      statusCode: ending.statusCode ?? null,
      reference: ending.reference ?? null,
      endedAtMs: Math.round(ending.endedAtMs),
      dueAtMs: Math.round(ending.dueAtMs),
    },
  );
  return rows;
}

/** Stores the rendered body and renews the lease until `untilMs`. Returns whether this sender still has it. */
export async function confirmLease(
  db: Database,
  { id, lease }: ClaimedMessage,
  { body, nowMs, untilMs }: { body: string | null; nowMs: number; untilMs: number },
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `update messages set body = ?, lease_until_ms = ?
     where id = ? and lease = ? and status = 'pending' and lease_until_ms > ? returning id`,
    [body, Math.round(untilMs), id, lease, Math.round(nowMs)],
  );
  return rows.length > 0;
}

const atOnce = 500;

type Failing = {
  /** Fails due alerts of this channel; `null`: all messages past `givesUpAtMs`. */
  channelId: number | null;
  except?: number | null;
  nowMs: number;
  answer: string;
};

/** Records the reason as an attempt of zero duration. Returns the failed deliveries; one call fails one batch. */
export async function failMessages(db: Database, { channelId, except = null, nowMs, answer }: Failing) {
  const which =
    channelId === null
      ? "gives_up_at_ms <= :nowMs"
      : "channel_id = :channelId and mail_kind is null and due_at_ms <= :nowMs";
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
       returning id, attempts, channel_id, mail_kind
     ), said as (
       insert into attempts (message_id, number, started_at_ms, ended_at_ms, answer)
       select id, attempts, :nowMs, :nowMs, :answer from failed
     ), notified as (
       update deliveries set status = 'failed' from failed where message_id = failed.id
       returning deliveries.id, deliveries.channel_id, incident_id, created_at_ms
     ), settled as (
       update channels set last_settled_at_ms = :nowMs, last_settled_status = 'failed'
       where id in (select channel_id from failed where mail_kind is null)
     )
     select id, channel_id, incident_id, 'failed' as status,
       created_at_ms
     from notified`,
    { channelId, except, nowMs: Math.round(nowMs), answer },
  );
  return rows;
}

/** Fails some deliveries of a message that is about to be sent, by moving them to a new, failed message. */
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
     returning deliveries.id, channel_id, incident_id, status,
       created_at_ms`,
    { messageId, ids: [...ids], nowMs: Math.round(nowMs), answer },
  );
  return rows;
}
