import type { Database } from "@sonde/kit/postgres/database";

/** How many messages are not settled. */
export async function countWaiting(db: Database): Promise<number> {
  const [counted] = await db("messages").where({ status: "pending" }).count<{ count: number }[]>("* as count");
  return counted?.count ?? 0;
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
