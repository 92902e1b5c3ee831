import type { Database } from "@sonde/kit/postgres/database";

/** How many messages are not settled, and how old the oldest is. */
export async function countWaiting(db: Database, nowMs: number): Promise<{ count: number; oldestMs: number }> {
  const [counted] = await db("messages")
    .where({ status: "pending" })
    .select<{ count: number; since: number | null }[]>(db.raw("count(*) as count, min(created_at_ms) as since"));
  const { count = 0, since = null } = counted ?? {};
  return { count, oldestMs: since === null ? 0 : Math.max(0, nowMs - since) };
}

const keepMs = 24 * 3_600_000;

/** Forgets budgets of which nothing was spent for a day. */
export async function forgetBudgets(db: Database, nowMs: number): Promise<void> {
  const beforeMs = Math.round(nowMs - keepMs);
  await db.raw(
    `delete from budgets
     where blocked_until_ms < :beforeMs and coalesce((select max(at) from unnest(spent_at_ms) as at), 0) < :beforeMs`,
    { beforeMs },
  );
}
