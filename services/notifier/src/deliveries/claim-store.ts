import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";

/** A message as its sender has it. */
export type ClaimedMessage = {
  id: number;
  key: string;
  language: Language;
  templateId: number | null;
  /** Null: it was not composed yet. */
  body: string | null;
  /** This one among them. */
  attempts: number;
  lease: string;
  createdAtMs: number;
  givesUpAtMs: number;
  startedAtMs: number;
};

/** Whether anything waits to be sent, now or later. */
export async function isAnyPending(db: Database): Promise<boolean> {
  return (await db("messages").where({ status: "pending" }).select("id").limit(1)).length > 0;
}

/** The channels that have something to send now. */
export function channelsWithDue(db: Database, nowMs: number): Promise<number[]> {
  return db("messages")
    .distinct("channel_id")
    .where({ status: "pending" })
    .where("due_at_ms", "<=", nowMs)
    .where((free) => free.whereNull("lease_until_ms").orWhere("lease_until_ms", "<=", nowMs))
    .pluck<number[]>("channel_id");
}

type Claiming = {
  channelId: number;
  nowMs: number;
  lease: string;
  leaseUntilMs: number;
  /** Maximum number of messages. */
  limit: number;
  /** Of a channel that its provider refused: that message alone, or any. */
  only: number | null;
};

/** Messages of a channel that are being sent now. */
const leased = "status = 'pending' and lease_until_ms > :nowMs";
/**
 * Those that may be sent because they are the first about each of their targets, including messages claimed by other
 * processes.
 */
const sendable = `messages.channel_id = :channelId and messages.status = 'pending' and messages.due_at_ms <= :nowMs
  and messages.gives_up_at_ms > :nowMs
  and (messages.lease_until_ms is null or messages.lease_until_ms <= :nowMs)`;

/**
 * Claims due messages, oldest first, and records the start of their attempts. At most `limit` of a channel are in
 * flight across all processes. The backlog is read once, since it may be a day's worth: a look-up for each message
 * would take minutes, whatever plan the database chooses.
 */
export async function claimMessages(trx: Database, claiming: Claiming): Promise<ClaimedMessage[]> {
  const { rows } = await trx.raw<{ rows: ClaimedMessage[] }>(
    `with heads as (
       select id, count(*) as leads
       from (
         select min(id) as id from messages cross join unnest(targets) as target
         where channel_id = :channelId and status = 'pending' group by target
       ) as first_of_target
       group by id
     ), due as (
       select messages.id from messages join heads on heads.id = messages.id
       where ${sendable} and (:only::bigint is null or messages.id = :only)
         and leads = (select count(distinct target) from unnest(targets) as target)
       order by messages.id
       limit greatest(0, :limit - (select count(*) from messages where channel_id = :channelId and ${leased}))
       for update of messages skip locked
     ), claimed as (
       update messages
       set lease = :lease, lease_until_ms = :leaseUntilMs, attempts = attempts + 1, takes_alerts = false
       from due where messages.id = due.id
       returning messages.*
     ), begun as (
       insert into attempts (message_id, number, started_at_ms) select id, attempts, :nowMs from claimed
     )
     select id, key, language, template_id, body, attempts, lease, created_at_ms,
       gives_up_at_ms, :nowMs::bigint as started_at_ms
     from claimed order by id`,
    { ...claiming, nowMs: Math.round(claiming.nowMs), leaseUntilMs: Math.round(claiming.leaseUntilMs) },
  );
  return rows;
}

/** The unsettled message that was tried last since an instant; null if there is none. */
export async function triedSince(
  trx: Database,
  channelId: number,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<{ id: number; isUnderWay: boolean } | null> {
  const { rows } = await trx.raw<{ rows: { id: number; isUnderWay: boolean }[] }>(
    `select id, coalesce(lease_until_ms > ?, false) as is_under_way
     from messages join attempts on message_id = id and number = attempts
     where channel_id = ? and status = 'pending' and started_at_ms >= ? order by started_at_ms desc, id limit 1`,
    [Math.round(nowMs), channelId, Math.round(sinceMs)],
  );
  return rows[0] ?? null;
}

/** How many messages are not settled, and how old the oldest is. */
export async function countWaiting(db: Database, nowMs: number): Promise<{ count: number; oldestMs: number }> {
  const [counted] = await db("messages")
    .where({ status: "pending" })
    .select<{ count: number; since: number | null }[]>(db.raw("count(*) as count, min(created_at_ms) as since"));
  const { count = 0, since = null } = counted ?? {};
  return { count, oldestMs: since === null ? 0 : Math.max(0, nowMs - since) };
}
