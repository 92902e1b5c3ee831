import type { Database } from "@sonde/kit/postgres/database";

const stuckMs = 10 * 60_000;

/**
 * How many messages have been due for ten minutes on channels that work, while nothing of their channel was settled, is
 * being sent or waits to be tried again: nobody sends them. A provider that is away is no such case.
 */
export async function countStuck(db: Database, nowMs: number): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select count(*) as count from messages join channels on channels.id = channel_id
     where messages.status = 'pending' and due_at_ms <= :beforeMs
       and enabled and is_healthy and not is_dead and coalesce(last_settled_at_ms, 0) <= :beforeMs
       and not exists (
         select from messages as other
         where other.channel_id = channels.id and other.status = 'pending'
           and (other.lease_until_ms > :nowMs or (other.attempts > 0 and other.due_at_ms > :beforeMs))
       )`,
    { nowMs: Math.round(nowMs), beforeMs: Math.round(nowMs - stuckMs) },
  );
  return rows[0]?.count ?? 0;
}
