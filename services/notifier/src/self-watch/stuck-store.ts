import type { Database } from "@sonde/kit/postgres/database";

const stuckMs = 10 * 60_000;

/**
 * The number of messages that have been due for ten minutes on working channels, while nothing of their channel was
 * settled or is being sent: the sender is stuck. A provider that is unavailable or asks for a delay does not count:
 * then a message sent before waits for its retry, perhaps on another channel of the type, since channels may share a
 * provider's limits.
 */
export async function countStuck(db: Database, nowMs: number): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select count(*) as count from messages join channels on channels.id = channel_id
     where messages.status = 'pending' and due_at_ms <= :beforeMs
       and enabled and is_healthy and not is_dead and coalesce(last_settled_at_ms, 0) <= :beforeMs
       and not exists (
         select from messages as other join channels as alike on alike.id = other.channel_id
         where alike.type = channels.type and other.status = 'pending'
           and (
             (alike.id = channels.id and other.lease_until_ms > :nowMs)
             or (other.attempts > 0 and other.due_at_ms > :beforeMs)
           )
       )`,
    { nowMs: Math.round(nowMs), beforeMs: Math.round(nowMs - stuckMs) },
  );
  return rows[0]?.count ?? 0;
}
