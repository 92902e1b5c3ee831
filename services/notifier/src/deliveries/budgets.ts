import type { Database } from "@sonde/kit/postgres/database";
import type { Budget, SendOutcome } from "../channels/channel.ts";
import type { ClaimedMessage, DeliveryContext, ReadyChannel } from "./delivery-context.ts";

type OpenBudgets = {
  free: number;
  waitMs: number;
  spend(requests: number): Promise<void>;
};

export async function openBudgets(
  trx: Database,
  budgets: ReadonlyMap<string, Budget>,
  nowMs: number,
): Promise<OpenBudgets> {
  if (budgets.size === 0) return { free: Number.POSITIVE_INFINITY, waitMs: 0, spend: async () => {} };
  const keys = [...budgets.keys()].sort(); // Sorted to avoid deadlocks.
  await trx.raw("insert into budgets (key) select unnest(?::text[]) on conflict do nothing", [keys]);
  const { rows } = await trx.raw<{ rows: (SpentRequests & { key: string })[] }>(
    "select key, spent_at_ms, blocked_until_ms from budgets where key = any(?) order by key for update",
    [keys],
  );
  const rooms = rows.map(({ key, ...spent }) => ({ key, ...roomIn(budgets.get(key)!, spent, nowMs) }));
  return {
    free: Math.min(...rooms.map(({ free }) => free)),
    waitMs: Math.max(...rooms.map(({ waitMs }) => waitMs)),
    async spend(requests) {
      const made = Array.from({ length: requests }, () => nowMs);
      for (const { key, spentAtMs } of rooms) {
        const spent = [...spentAtMs, ...made].map(Math.round);
        await trx.raw("update budgets set spent_at_ms = ?::bigint[] where key = ?", [spent, key]);
      }
    },
  };
}

export async function blockBudgets(db: Database, keys: readonly string[], untilMs: number): Promise<void> {
  await db.raw(
    `insert into budgets (key, blocked_until_ms) select key, ?::bigint from unnest(?::text[]) as key order by key
     on conflict (key) do update set blocked_until_ms = greatest(budgets.blocked_until_ms, excluded.blocked_until_ms)`,
    [Math.round(untilMs), [...keys]],
  );
}

/** Counts a slow request from its end, since it may have arrived that late. */
async function restampSpending(db: Database, keys: readonly string[], fromMs: number, toMs: number) {
  await db.raw(
    `update budgets set spent_at_ms = array_replace(spent_at_ms, ?::bigint, ?::bigint)
     where key in (select key from budgets where key = any(?) order by key for update)`,
    [Math.round(fromMs), Math.round(toMs), [...keys]],
  );
}

/** Counts slow requests from their end, and blocks budgets for a delay that the provider requested. */
export async function countSpending(
  { db, log }: Pick<DeliveryContext, "db" | "log">,
  { budgets, id }: Pick<ReadyChannel, "budgets" | "id">,
  message: Pick<ClaimedMessage, "attempts" | "startedAtMs" | "mailKind">,
  outcome: SendOutcome,
  endedAtMs: number,
): Promise<void> {
  if (budgets.size === 0) return;
  try {
    const isThrottled = outcome.outcome === "retry" && outcome.throttled === true;
    if (isThrottled)
      await blockBudgets(db, [...budgets.keys()], endedAtMs + waitMs(failuresOf(message, outcome), outcome.afterMs));
    const slow = [...budgets].flatMap(([key, { perMs }]) =>
      endedAtMs - message.startedAtMs > marginMs(perMs) ? [key] : [],
    );
    if (slow.length > 0) await restampSpending(db, slow, message.startedAtMs, endedAtMs);
  } catch (err) {
    // Losing the message's outcome would be worse.
    log.warn({ err, channelId: id }, "updating a provider's rate limits failed");
  }
}

/** Failures that the delay grows with. Throttled mails count as one: mailings reach limits many times. */
export function failuresOf(
  { attempts, mailKind }: Pick<ClaimedMessage, "attempts" | "mailKind">,
  outcome: SendOutcome,
): number {
  const isThrottled = outcome.outcome === "retry" && outcome.throttled === true;
  return mailKind !== null && isThrottled ? 1 : attempts;
}

/** Blocked while the provider refuses the channel. Does not affect alerts. */
export const mailBudgetKey = (channelId: number): string => `mails of ${channelId}`;

/** Leaves one request of each budget to alerts, since thousands of mails would use it up. */
export function mailBudgets({ id, budgets }: Pick<ReadyChannel, "id" | "budgets">): Map<string, Budget> {
  const left = [...budgets].map(
    ([key, budget]) => [key, { ...budget, requests: Math.max(1, budget.requests - 1) }] as const,
  );
  const key = mailBudgetKey(id);
  return new Map([...left, [key, { key, requests: 1_000, perMs: 0 }]]);
}

const keepMs = 24 * 3_600_000;

export async function forgetBudgets(db: Database, nowMs: number): Promise<void> {
  const beforeMs = Math.round(nowMs - keepMs);
  await db.raw(
    `delete from budgets
     where blocked_until_ms < :beforeMs and coalesce((select max(at) from unnest(spent_at_ms) as at), 0) < :beforeMs`,
    { beforeMs },
  );
}

type SpentRequests = { spentAtMs: readonly number[]; blockedUntilMs: number };

/** Number of requests allowed now and, if 0, the delay until one is. `spentAtMs`: requests that still count. */
type FreeRequests = { free: number; waitMs: number; spentAtMs: number[] };

/** Providers count arrivals, and one request may take longer to arrive than the next. */
const marginMs = (perMs: number): number => Math.min(1_000, Math.max(100, perMs / 10));

export function roomIn(
  { requests, perMs }: Budget,
  { spentAtMs, blockedUntilMs }: SpentRequests,
  nowMs: number,
): FreeRequests {
  const windowMs = perMs + marginMs(perMs);
  // After the clock was set back, requests in the future count as sent now.
  const counted = spentAtMs
    .map((atMs) => Math.min(atMs, nowMs))
    .filter((atMs) => atMs > nowMs - windowMs)
    .sort((one, other) => one - other);
  const blockedMs = Math.min(blockedUntilMs - nowMs, maxPatienceMs);
  if (blockedMs > 0) return { free: 0, waitMs: blockedMs, spentAtMs: counted };
  const free = Math.max(0, requests - counted.length);
  const nextMs = counted[counted.length - requests];
  return { free, waitMs: free > 0 || nextMs === undefined ? 0 : nextMs + windowMs - nowMs, spentAtMs: counted };
}

const firstMs = 5_000;
const maxMs = 15 * 60_000;
const maxPatienceMs = 3_600_000;

/** 5 s after the first failure, doubling up to 15 minutes, with 20 % jitter. @param random from 0 to 1 */
export function backoffMs(attempts: number, random: number = Math.random()): number {
  const plainMs = Math.min(maxMs, firstMs * 2 ** Math.min(20, attempts - 1));
  return Math.round(plainMs * (0.8 + 0.4 * random));
}

/** Returns the backoff, but at least the delay that the provider requested, up to an hour. */
export function waitMs(attempts: number, providerMs: number | undefined, random?: number): number {
  const requestedMs = Number.isFinite(providerMs) ? Math.min(maxPatienceMs, Math.max(0, providerMs ?? 0)) : 0;
  return Math.max(requestedMs, backoffMs(attempts, random));
}
