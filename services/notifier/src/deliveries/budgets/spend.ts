import type { Database } from "@sonde/kit/postgres/database";
import type { Budget, SendOutcome } from "../../channels/channel.ts";
import { roomIn, type FreeRequests, type SpentRequests, marginMs } from "./budget.ts";
import { waitMs } from "../backoff.ts";
import type { ClaimedMessage } from "../claim-store.ts";
import type { DeliveryContext } from "../delivering.ts";
import type { ReadyChannel } from "../ready-channel.ts";

type OpenBudgets = {
  /** How many requests all budgets allow now. */
  free: number;
  /** If none is permitted: the delay until one is. */
  waitMs: number;
  /** Counts requests as made now. */
  spend(requests: number): Promise<void>;
};

/** The room within a channel's budgets, by key, locked until the transaction ends. */
export async function openBudgets(
  trx: Database,
  budgets: ReadonlyMap<string, Budget>,
  nowMs: number,
): Promise<OpenBudgets> {
  if (budgets.size === 0) return { free: Number.POSITIVE_INFINITY, waitMs: 0, spend: async () => {} };
  const known = await lockBudgets(trx, [...budgets.keys()]);
  const rooms = [...budgets].map(([key, budget]) => {
    const spent = known.get(key) ?? { spentAtMs: [], blockedUntilMs: 0 };
    return { key, ...roomIn(budget, spent, nowMs) };
  });
  return {
    free: Math.min(...rooms.map(({ free }) => free)),
    waitMs: Math.max(...rooms.map(({ waitMs }) => waitMs)),
    spend: (requests) => {
      const made = Array.from({ length: requests }, () => nowMs);
      return saveBudgets(
        trx,
        new Map(rooms.map(({ key, spentAtMs }) => [key, { spentAtMs: [...spentAtMs, ...made] }])),
      );
    },
  };
}

/** The state of each budget, by key, locked until the transaction ends. */
async function lockBudgets(trx: Database, keys: readonly string[]): Promise<Map<string, SpentRequests>> {
  const sorted = [...new Set(keys)].sort(); // In one order, so that two never wait for each other.
  const read = async () => {
    const { rows } = await trx.raw<{ rows: (SpentRequests & { key: string })[] }>(
      `select key, spent_at_ms, blocked_until_ms
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
async function saveBudgets(trx: Database, spent: ReadonlyMap<string, Pick<FreeRequests, "spentAtMs">>): Promise<void> {
  for (const [key, { spentAtMs }] of spent) {
    await trx.raw("update budgets set spent_at_ms = ?::bigint[] where key = ?", [spentAtMs.map(Math.round), key]);
  }
}

/** Nothing of these budgets is spent before an instant. */
async function blockBudgets(db: Database, keys: readonly string[], untilMs: number): Promise<void> {
  await db.raw(
    `insert into budgets (key, blocked_until_ms) select key, ?::bigint from unnest(?::text[]) as key order by key
     on conflict (key) do update set blocked_until_ms = greatest(budgets.blocked_until_ms, excluded.blocked_until_ms)`,
    [Math.round(untilMs), [...new Set(keys)]],
  );
}

/** A request that took long counts from its end: it may have arrived as late as then. */
async function restampSpending(db: Database, keys: readonly string[], fromMs: number, toMs: number) {
  await db.raw(
    `update budgets set spent_at_ms = array_replace(spent_at_ms, ?::bigint, ?::bigint)
     where key in (select key from budgets where key = any(?) order by key for update)`,
    [Math.round(fromMs), Math.round(toMs), [...new Set(keys)]],
  );
}

/** The provider's count by now: a slow request was counted late, and a requested delay is kept. */
export async function countSpending(
  { db, log }: Pick<DeliveryContext, "db" | "log">,
  { budgets, id }: Pick<ReadyChannel, "budgets" | "id">,
  { attempts, startedAtMs }: Pick<ClaimedMessage, "attempts" | "startedAtMs">,
  outcome: SendOutcome,
  endedAtMs: number,
): Promise<void> {
  if (budgets.size === 0) return;
  try {
    const isThrottled = outcome.outcome === "retry" && outcome.throttled === true;
    if (isThrottled) await blockBudgets(db, [...budgets.keys()], endedAtMs + waitMs(attempts, outcome.afterMs));
    const slow = [...budgets].filter(([, { perMs }]) => endedAtMs - startedAtMs > marginMs(perMs));
    if (slow.length > 0)
      await restampSpending(
        db,
        slow.map(([key]) => key),
        startedAtMs,
        endedAtMs,
      );
  } catch (err) {
    // What became of the message is worth more than how often the next may be sent.
    log.warn({ err, channelId: id }, "what a provider counts could not be recorded");
  }
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
