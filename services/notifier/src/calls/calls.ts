import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import type { CallStep } from "@sonde/proto/http/on-call/escalation";
import { createHash, randomBytes } from "node:crypto";
import type { StartCall } from "../channels/channel.ts";
import type { Context } from "../context.ts";
import type { ChangedDelivery } from "../deliveries/delivery-context.ts";

type CallContext = Pick<Context, "db" | "clock" | "publicUrl">;

/** Twilio may queue a call; later requests hear that the incident is over. */
const validMs = 30 * 60_000;
/** Before the second call. */
const restMs = 20_000;
const maxIncidents = 50;

/** Earlier attempts that rang, or may have: their process ended, or their response was lost. Two of them are enough. */
const mayRingAgain = `(
  select count(*) from attempts where message_id = messages.id and number < messages.attempts + :done
    and (ended_at_ms is null or in_doubt or status_code = 201)
) < 2`;

export const callUrl = (publicUrl: string | null, reference: string, step: CallStep): string =>
  `${publicUrl ?? ""}/api/calls/${reference}/${step}`;

const digestOf = (reference: string) => createHash("sha256").update(reference).digest("base64url");

/** Returns the addresses of a new call of a message, or why its phone must not ring. */
export async function startCall({ db, clock, publicUrl }: CallContext, key: string): ReturnType<StartCall> {
  if (publicUrl === null) return "Not called: PUBLIC_URL is not set";
  const reference = randomBytes(24).toString("base64url");
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `insert into calls (reference, message_id, started_at_ms)
     select :digest, id, :nowMs from messages
     where key = :key and ${mayRingAgain} and exists (
       select from deliveries left join incidents on incidents.id = incident_id
       where message_id = messages.id and closed_at_ms is null
     ) returning reference`,
    { key, digest: digestOf(reference), done: 0, nowMs: Math.round(clock.now()) },
  );
  if (rows.length === 0) return "Not called: the incident is over, or the phone may have rung twice";
  return (step) => callUrl(publicUrl, reference, step);
}

export type PhoneCall = {
  messageId: number;
  /** Rendered by the channel. */
  speech: { say: string; language: Language };
  channelId: number;
  userId: number | null;
  channelName: string;
  isTest: boolean;
  /** Those that are open. */
  incidentIds: string[];
  isEnded: boolean;
  /** There was no later call of the message. */
  isLatest: boolean;
};

export async function findCall({ db, clock }: CallContext, reference: string): Promise<PhoneCall | undefined> {
  const { rows } = await db.raw<{ rows: PhoneCall[] }>(
    `select message_id, body::json as speech, channels.id as channel_id, user_id, channels.name as channel_name,
       not exists (select from deliveries where message_id = messages.id and incident_id is not null) as is_test,
       array(
         select distinct incidents.id from deliveries join incidents on incidents.id = incident_id
         where message_id = messages.id and closed_at_ms is null order by 1 limit ${maxIncidents}
       ) as incident_ids,
       ended_at_ms is not null or abs(started_at_ms - :nowMs::bigint) > ${validMs} as is_ended,
       started_at_ms = (select max(started_at_ms) from calls where message_id = messages.id) as is_latest
     from calls
     join messages on messages.id = message_id and body is not null
     join channels on channels.id = channel_id
     where calls.reference = :digest`,
    { digest: digestOf(reference), nowMs: Math.round(clock.now()) },
  );
  return rows[0];
}

/** Ends a call. Returns false if it had ended before. */
export async function endCall({ db, clock }: CallContext, reference: string): Promise<boolean> {
  const call = db("calls").where({ reference: digestOf(reference), endedAtMs: null });
  return (await call.update({ endedAtMs: Math.round(clock.now()) })) > 0;
}

/**
 * Records that nobody answered. The first time, the message is sent again if one of its incidents is open and was not
 * acknowledged since; otherwise it failed. Returns nothing while the attempt itself is not recorded yet.
 */
export async function unanswered(db: Database, messageId: number, answer: string, nowMs: number) {
  const { rows } = await db.raw<{ rows: ChangedDelivery[] }>(
    `with settled as (
       update messages set
         status = next.status, due_at_ms = :nowMs::bigint + ${restMs},
         settled_at_ms = case next.status when 'pending' then null else :nowMs::bigint end
       from (
         select id, case when ${mayRingAgain} and exists (
           select from deliveries join incidents on incidents.id = incident_id
           where message_id = messages.id and closed_at_ms is null
             and coalesce(acknowledged_at_ms, 0) < deliveries.created_at_ms
         ) then 'pending' else 'failed' end as status
         from messages where id = :messageId
       ) as next
       where messages.id = next.id and messages.status = 'delivered'
       returning messages.*
     ), attempt as (
       update attempts set answer = :answer from settled where message_id = id and number = attempts
     )
     update deliveries set status = settled.status from settled where message_id = settled.id
     returning deliveries.id, deliveries.channel_id, incident_id, deliveries.created_at_ms, deliveries.status`,
    { messageId, answer, done: 1, nowMs: Math.round(nowMs) },
  );
  return rows;
}
