import type { Database } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";
import { lockChannel, markTried, type StoredChannel } from "../channels/channels.ts";
import {
  leaseMs,
  type ChangedDelivery,
  type DeliveryContext,
  type ReadyChannel,
  readyChannel,
  type ClaimedMessage,
} from "./delivering.ts";
import { failMessages } from "./settle-store.ts";
import { openBudgets } from "./budgets.ts";

/** The most messages of a channel in flight at once, in all processes: one that hangs takes no place of another. */
const mostOfChannel = 4;
/** How often a channel that its provider refused is tried with a real alert. */
const tryAgainMs = 3_600_000;

type Claim = {
  channel: ReadyChannel | null;
  /** The type of the channel; empty of one that was deleted. */
  type: string;
  claimed: ClaimedMessage[];
  /** Deliveries that failed because nothing can be sent to the channel. */
  failed: ChangedDelivery[];
  /** If the provider's limit is reached: the delay until the next request. */
  waitMs: number;
};

const none = { channel: null, claimed: [], failed: [], waitMs: 0 } satisfies Partial<Claim>;

/**
 * Claims due messages of a channel, as far as its provider's limits permit, and spends of its budgets. If nothing can be
 * sent to it, due messages fail with the reason.
 */
export async function claim(deps: DeliveryContext, channelId: number): Promise<Claim> {
  const { db, clock } = deps;
  return db.transaction(async (trx) => {
    const nowMs = clock.now();
    const stored = await lockChannel(trx, channelId);
    const nothing: Claim = { ...none, type: stored?.type ?? "" };
    const fail = async (answer: string, except: number | null = null): Promise<Claim> => ({
      ...nothing,
      failed: await failMessages(trx, { channelId, except, nowMs, answer }),
    });
    if (stored === null) return fail("Not sent: the channel was deleted");
    if (!stored.enabled) return fail("Not sent: the channel is switched off");
    if (stored.isDead) return fail(refusedBefore(stored));
    const trial = stored.isHealthy ? { only: null } : await trialOf(trx, stored, nowMs);
    if (trial === "wait") return nothing;
    if (trial === "refused") return fail(refusedBefore(stored));
    const { failed } = trial.only === null ? nothing : await fail(refusedBefore(stored), trial.only);
    const limit = stored.isHealthy ? mostOfChannel : 1;
    const ready = readyChannel(deps, stored);
    if (ready === null) return fail("Not sent: a stored secret cannot be read, enter it anew");
    const { free, waitMs, spend } = await openBudgets(trx, ready.budgets, nowMs);
    if (free === 0) return { ...nothing, failed, waitMs };
    const claiming = { channelId, nowMs, lease: randomUUID(), limit: Math.min(limit, free), only: trial.only };
    const claimed = await claimMessages(trx, claiming);
    if (claimed.length === 0) return { ...nothing, failed };
    await spend(claimed.length);
    if (!stored.isHealthy && trial.only === null) await markTried(trx, channelId, nowMs);
    return { ...nothing, channel: ready, claimed, failed };
  });
}

/**
 * What may be sent to a channel that its provider refused: once an hour one due message, until it is settled. While it
 * is in flight the others wait for its outcome; otherwise they fail.
 */
async function trialOf(
  trx: Database,
  { id, triedAtMs, refusedAtMs }: StoredChannel,
  nowMs: number,
): Promise<{ only: number | null } | "wait" | "refused"> {
  const trial = triedAtMs === null ? null : await triedSince(trx, id, { sinceMs: triedAtMs, nowMs });
  if (trial !== null) return trial.isUnderWay ? "wait" : { only: trial.id };
  const sinceMs = nowMs - Math.max(refusedAtMs ?? 0, triedAtMs ?? 0);
  // A clock that was set back is no reason to wait until it has caught up.
  return sinceMs >= tryAgainMs || sinceMs < 0 ? { only: null } : "refused";
}

const refusedBefore = ({ refusal }: StoredChannel): string =>
  `Not sent: the channel was refused before (${refusal ?? "no reason was given"})`.slice(0, 300);

export async function isAnyPending(db: Database): Promise<boolean> {
  return (await db("messages").where({ status: "pending" }).select("id").limit(1)).length > 0;
}

export function channelsWithDue(db: Database, nowMs: number): Promise<number[]> {
  return db("messages")
    .distinct("channel_id")
    .where({ status: "pending" })
    .where("due_at_ms", "<=", nowMs)
    .where((free) => free.whereNull("lease_until_ms").orWhere("lease_until_ms", "<=", nowMs))
    .pluck<number[]>("channel_id");
}

type Claiming = Pick<ClaimedMessage, "lease"> & {
  channelId: number;
  nowMs: number;
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
async function claimMessages(trx: Database, claiming: Claiming): Promise<ClaimedMessage[]> {
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
    { ...claiming, nowMs: Math.round(claiming.nowMs), leaseUntilMs: Math.round(claiming.nowMs + leaseMs) },
  );
  return rows;
}

/** The unsettled message that was tried last since an instant; null if there is none. */
async function triedSince(
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

export async function countWaiting(db: Database, nowMs: number): Promise<{ count: number; oldestMs: number }> {
  const [counted] = await db("messages")
    .where({ status: "pending" })
    .select<{ count: number; since: number | null }[]>(db.raw("count(*) as count, min(created_at_ms) as since"));
  const { count = 0, since = null } = counted ?? {};
  return { count, oldestMs: since === null ? 0 : Math.max(0, nowMs - since) };
}
