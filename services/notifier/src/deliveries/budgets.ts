import type { Database } from "@sonde/kit/postgres/database";
import type { Budget, SendOutcome } from "../channels/channel.ts";
import type { ClaimedMessage, DeliveryContext, ReadyChannel } from "./delivery-context.ts";

type OpenBudgets = {
  /** How many requests all budgets allow now. */
  free: number;
  /** The delay until a request is permitted; 0 if one is now. */
  waitMs: number;
  spend(requests: number): Promise<void>;
};

/** Locks the budgets of a channel until the transaction ends. */
export async function openBudgets(
  trx: Database,
  budgets: ReadonlyMap<string, Budget>,
  nowMs: number,
): Promise<OpenBudgets> {
  if (budgets.size === 0) return { free: Number.POSITIVE_INFINITY, waitMs: 0, spend: async () => {} };
  const keys = [...budgets.keys()].sort(); // In one order, so that two never wait for each other.
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

/** Blocks budgets until an instant. */
export async function blockBudgets(db: Database, keys: readonly string[], untilMs: number): Promise<void> {
  await db.raw(
    `insert into budgets (key, blocked_until_ms) select key, ?::bigint from unnest(?::text[]) as key order by key
     on conflict (key) do update set blocked_until_ms = greatest(budgets.blocked_until_ms, excluded.blocked_until_ms)`,
    [Math.round(untilMs), [...keys]],
  );
}

/** Counts a slow request from its end: it may have arrived that late. */
async function restampSpending(db: Database, keys: readonly string[], fromMs: number, toMs: number) {
  await db.raw(
    `update budgets set spent_at_ms = array_replace(spent_at_ms, ?::bigint, ?::bigint)
     where key in (select key from budgets where key = any(?) order by key for update)`,
    [Math.round(fromMs), Math.round(toMs), [...keys]],
  );
}

/** Updates budgets after a request: slow requests are counted late, and a delay that the provider requested is kept. */
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
    // Losing the outcome of the message would be worse.
    log.warn({ err, channelId: id }, "what a provider counts could not be recorded");
  }
}

/** The delay grows with this number. A large mailing reaches a provider's limit many times: that does not count. */
export function failuresOf(
  { attempts, mailKind }: Pick<ClaimedMessage, "attempts" | "mailKind">,
  outcome: SendOutcome,
): number {
  const isThrottled = outcome.outcome === "retry" && outcome.throttled === true;
  return mailKind !== null && isThrottled ? 1 : attempts;
}

/** Blocked while the provider refuses the channel. Alerts do not wait for it. */
export const mailBudgetKey = (channelId: number): string => `mails of ${channelId}`;

/** Thousands of mails would use up what a provider allows, so one request at a time is left for alerts. */
export function mailBudgets({ id, budgets }: Pick<ReadyChannel, "id" | "budgets">): Map<string, Budget> {
  const left = [...budgets].map(
    ([key, budget]) => [key, { ...budget, requests: Math.max(1, budget.requests - 1) }] as const,
  );
  const key = mailBudgetKey(id);
  return new Map([...left, [key, { key, requests: 1_000, perMs: 0 }]]);
}

const keepMs = 24 * 3_600_000;

/** Deletes budgets that were not used for a day. */
export async function forgetBudgets(db: Database, nowMs: number): Promise<void> {
  const beforeMs = Math.round(nowMs - keepMs);
  await db.raw(
    `delete from budgets
     where blocked_until_ms < :beforeMs and coalesce((select max(at) from unnest(spent_at_ms) as at), 0) < :beforeMs`,
    { beforeMs },
  );
}

type SpentRequests = { spentAtMs: readonly number[]; blockedUntilMs: number };

/** How many requests may be made now; if none, the delay until one may. `spentAtMs`: those that still count. */
type FreeRequests = { free: number; waitMs: number; spentAtMs: number[] };

/** A provider counts arrivals, and a request may take longer to arrive than the next one. */
const marginMs = (perMs: number): number => Math.min(1_000, Math.max(100, perMs / 10));

/** The room within a budget: a sliding window over single requests. */
export function roomIn(
  { requests, perMs }: Budget,
  { spentAtMs, blockedUntilMs }: SpentRequests,
  nowMs: number,
): FreeRequests {
  const windowMs = perMs + marginMs(perMs);
  // If the clock was set back, requests in the future count as made now.
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
/** The longest delay accepted from a provider. */
const maxPatienceMs = 3_600_000;

/**
 * The delay after a number of failed attempts (1 or more): 5 s, doubling to 15 minutes, with a jitter of a fifth, so
 * that failures at the same time are not retried at the same time.
 * @param random from 0 to 1
 */
export function backoffMs(attempts: number, random: number = Math.random()): number {
  const plainMs = Math.min(maxMs, firstMs * 2 ** Math.min(20, attempts - 1));
  return Math.round(plainMs * (0.8 + 0.4 * random));
}

/** The same, but at least the delay that the provider requested. */
export function waitMs(attempts: number, askedMs: number | undefined, random?: number): number {
  const asked = Number.isFinite(askedMs) ? Math.min(maxPatienceMs, Math.max(0, askedMs ?? 0)) : 0;
  return Math.max(asked, backoffMs(attempts, random));
}
