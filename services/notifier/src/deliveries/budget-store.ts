import type { Database } from "@sonde/kit/postgres/database";
import type { FreeRequests, SpentRequests } from "./budget.ts";

/** The state of each budget, by key, locked until the transaction ends. */
export async function lockBudgets(trx: Database, keys: readonly string[]): Promise<Map<string, SpentRequests>> {
  const sorted = [...new Set(keys)].sort(); // In one order, so that two never wait for each other.
  const read = async () => {
    const { rows } = await trx.raw<{ rows: (SpentRequests & { key: string })[] }>(
      `select key, spent_at_ms as "spentAtMs", blocked_until_ms as "blockedUntilMs"
       from budgets where key = any(?) order by key for update`,
      [sorted],
    );
    return new Map(rows.map(({ key, spentAtMs, blockedUntilMs }) => [key, { spentAtMs, blockedUntilMs }]));
  };
  const known = await read();
  if (known.size === sorted.length) return known;
  await trx.raw("insert into budgets (key) select unnest(?::text[]) on conflict do nothing", [sorted]);
  return read();
}

/** Stores the spending of each budget. */
export async function saveBudgets(
  trx: Database,
  spent: ReadonlyMap<string, Pick<FreeRequests, "spentAtMs">>,
): Promise<void> {
  for (const [key, { spentAtMs }] of spent) {
    await trx.raw("update budgets set spent_at_ms = ?::bigint[] where key = ?", [spentAtMs.map(Math.round), key]);
  }
}

/** Nothing of these budgets is spent before an instant. */
export async function blockBudgets(db: Database, keys: readonly string[], untilMs: number): Promise<void> {
  await db.raw(
    `insert into budgets (key, blocked_until_ms) select key, ?::bigint from unnest(?::text[]) as key order by key
     on conflict (key) do update set blocked_until_ms = greatest(budgets.blocked_until_ms, excluded.blocked_until_ms)`,
    [Math.round(untilMs), [...new Set(keys)]],
  );
}

/** A request that took long counts from its end: it may have arrived as late as then. */
export async function restampSpending(db: Database, keys: readonly string[], fromMs: number, toMs: number) {
  await db.raw(
    `update budgets set spent_at_ms = array_replace(spent_at_ms, ?::bigint, ?::bigint)
     where key in (select key from budgets where key = any(?) order by key for update)`,
    [Math.round(fromMs), Math.round(toMs), [...new Set(keys)]],
  );
}
