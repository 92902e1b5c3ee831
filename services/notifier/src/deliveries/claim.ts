import type { Database } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";
import { lockToSend, markTried, type StoredChannel } from "../channels/channels.ts";
import {
  leaseMs,
  type ChangedDelivery,
  type DeliveryContext,
  type ReadyChannel,
  readyChannel,
  type ClaimedMessage,
} from "./delivery-context.ts";
import { failMessages } from "./settle-store.ts";
import { mailBudgets, openBudgets } from "./budgets.ts";

/** Maximum number of a channel's alerts in flight, over all processes. A hanging channel takes no slots of others. */
const maxAlerts = 4;
const maxMails = 8;
const tryAgainMs = 3_600_000;

export type Claim = {
  channel: ReadyChannel | null;
  /** Empty if the channel was deleted. */
  type: string;
  claimed: ClaimedMessage[];
  failed: ChangedDelivery[];
  /** Delay until the next request if a limit is reached, else 0. */
  waitMs: number;
};

export const noClaim = { channel: null, type: "", claimed: [], failed: [], waitMs: 0 } satisfies Claim;

/** Claims due alerts within the provider's limits. If nothing can be sent, they fail with the reason. */
export async function claim(deps: DeliveryContext, channelId: number): Promise<Claim> {
  const { db, clock } = deps;
  return db.transaction(async (trx) => {
    const nowMs = clock.now();
    const stored = await lockToSend(trx, channelId);
    const nothing: Claim = { ...noClaim, type: stored?.type ?? "" };
    const fail = async (answer: string, except: number | null = null): Promise<Claim> => ({
      ...nothing,
      failed: await failMessages(trx, { channelId, except, nowMs, answer }),
    });
    if (stored === null) return fail("Not sent: the channel was deleted");
    if (!stored.enabled) return fail("Not sent: the channel is disabled");
    if (stored.isDead) return fail(refusedBefore(stored));
    const trial = stored.isHealthy ? { only: null } : await trialOf(trx, stored, nowMs);
    if (trial === "wait") return nothing;
    if (trial === "refused") return fail(refusedBefore(stored));
    const { failed } = trial.only === null ? nothing : await fail(refusedBefore(stored), trial.only);
    const limit = stored.isHealthy ? maxAlerts : 1;
    const ready = readyChannel(deps, stored);
    if (ready === null) return fail("Not sent: a stored secret cannot be read. Enter it again");
    const { free, waitMs, spend } = await openBudgets(trx, ready.budgets, nowMs);
    if (free === 0) return { ...nothing, failed, waitMs };
    const claiming = { channelId, isMail: false, nowMs, limit: Math.min(limit, free), only: trial.only };
    const claimed = await claimMessages(trx, claiming);
    if (claimed.length === 0) return { ...nothing, failed };
    await spend(claimed.length);
    if (!stored.isHealthy && trial.only === null) await markTried(trx, channelId, nowMs);
    return { ...nothing, channel: ready, claimed, failed };
  });
}

const restMs = 5_000;

/** Claims due mails of a channel within its provider's limits. Mails wait while the channel cannot send. */
export async function claimMails(deps: DeliveryContext, channelId: number): Promise<Claim> {
  const { db, clock } = deps;
  return db.transaction(async (trx) => {
    const nowMs = clock.now();
    const stored = await lockToSend(trx, channelId);
    const channel = stored !== null && stored.enabled && !stored.isDead ? readyChannel(deps, stored) : null;
    if (channel?.type.composeMail === undefined) return { ...noClaim, waitMs: restMs };
    const { free, waitMs, spend } = await openBudgets(trx, mailBudgets(channel), nowMs);
    if (free === 0) return { ...noClaim, waitMs };
    const claimed = await claimMessages(trx, { channelId, isMail: true, nowMs, limit: Math.min(maxMails, free) });
    await spend(claimed.length);
    return { ...noClaim, channel, claimed };
  });
}

/** Allows a refused channel one due message an hour. Others wait while it is in flight, and otherwise fail. */
async function trialOf(
  trx: Database,
  { id, triedAtMs, refusedAtMs }: StoredChannel,
  nowMs: number,
): Promise<{ only: number | null } | "wait" | "refused"> {
  const trial = triedAtMs === null ? null : await triedSince(trx, id, { sinceMs: triedAtMs, nowMs });
  if (trial !== null) return trial.isUnderWay ? "wait" : { only: trial.id };
  const sinceMs = nowMs - Math.max(refusedAtMs ?? 0, triedAtMs ?? 0);
  // A negative value means that the clock was set back.
  return sinceMs >= tryAgainMs || sinceMs < 0 ? { only: null } : "refused";
}

const refusedBefore = ({ refusal }: StoredChannel): string =>
  `Not sent: the provider rejected this channel earlier (${refusal ?? "no reason was given"})`.slice(0, 300);

export async function isAnyPending(db: Database): Promise<boolean> {
  return (await db("messages").where({ status: "pending" }).select("id").limit(1)).length > 0;
}

/** Returns the queues with due messages. A channel's alerts and mails are claimed separately. */
export async function dueQueues(db: Database, nowMs: number): Promise<MessageQueue[]> {
  const { rows } = await db.raw<{ rows: MessageQueue[] }>(
    `select distinct channel_id, mail_kind is not null as is_mail from messages
     where status = 'pending' and due_at_ms <= :nowMs and (lease_until_ms is null or lease_until_ms <= :nowMs)`,
    { nowMs: Math.round(nowMs) },
  );
  return rows;
}

export type MessageQueue = { channelId: number; isMail: boolean };

type Claiming = MessageQueue & {
  nowMs: number;
  /** Maximum number in flight, over all processes. */
  limit: number;
  only?: number | null;
};

/**
 * Claims due messages, oldest first, and records the start of their attempts. An alert can be claimed if no earlier
 * message about any of its targets is pending, including those that other processes claimed. The backlog may be a day's
 * worth, so it is read in one query: a lookup per message would take minutes.
 */
async function claimMessages(trx: Database, claiming: Claiming): Promise<ClaimedMessage[]> {
  const { isMail } = claiming;
  const queued = `channel_id = :channelId and status = 'pending' and mail_kind is ${isMail ? "not null" : "null"}`;
  const isFirst = "leads = (select count(distinct target) from unnest(targets) as target)";
  const { rows } = await trx.raw<{ rows: ClaimedMessage[] }>(
    `with heads as (
       select id, count(*) as leads
       from (
         select min(id) as id from messages cross join unnest(targets) as target
         where ${queued} group by target
       ) as first_of_target
       group by id
     ), due as (
       select messages.id from messages ${isMail ? "" : "join heads on heads.id = messages.id"}
       where ${queued} and due_at_ms <= :nowMs and gives_up_at_ms > :nowMs
         and (lease_until_ms is null or lease_until_ms <= :nowMs) and (:only::bigint is null or messages.id = :only)
         ${isMail ? "" : `and ${isFirst}`}
       order by mail_rank, messages.id
       limit greatest(0, :limit - (select count(*) from messages where ${queued} and lease_until_ms > :nowMs))
       for update of messages skip locked
     ), claimed as (
       update messages
       set lease = :lease, lease_until_ms = :leaseUntilMs, attempts = attempts + 1, takes_alerts = false
       from due where messages.id = due.id
       returning messages.*
     ), begun as (
       insert into attempts (message_id, number, started_at_ms) select id, attempts, :nowMs from claimed
     )
     select id, key, language, template_id, body, mail_kind, notice, attempts, lease, created_at_ms,
       gives_up_at_ms, :nowMs::bigint as started_at_ms
     from claimed order by mail_rank, id`,
    {
      only: null,
      ...claiming,
      lease: randomUUID(),
      nowMs: Math.round(claiming.nowMs),
      leaseUntilMs: Math.round(claiming.nowMs + leaseMs),
    },
  );
  return rows;
}

async function triedSince(
  trx: Database,
  channelId: number,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<{ id: number; isUnderWay: boolean } | null> {
  const { rows } = await trx.raw<{ rows: { id: number; isUnderWay: boolean }[] }>(
    `select id, coalesce(lease_until_ms > ?, false) as is_under_way
     from messages join attempts on message_id = id and number = attempts
     where channel_id = ? and status = 'pending' and mail_kind is null and started_at_ms >= ? order by started_at_ms desc, id limit 1`,
    [Math.round(nowMs), channelId, Math.round(sinceMs)],
  );
  return rows[0] ?? null;
}

/** Counts unsettled alerts and mails. Only alerts have an age, because a large mailing takes hours. */
export async function countWaiting(
  db: Database,
  nowMs: number,
): Promise<{ alerts: number; oldestMs: number; mails: number }> {
  const { rows } = await db.raw<{ rows: { alerts: number; since: number | null; mails: number }[] }>(
    `select count(*) filter (where mail_kind is null) as alerts, count(mail_kind) as mails,
       min(created_at_ms) filter (where mail_kind is null) as since
     from messages where status = 'pending'`,
  );
  const { alerts = 0, since = null, mails = 0 } = rows[0] ?? {};
  return { alerts, mails, oldestMs: since === null ? 0 : Math.max(0, nowMs - since) };
}

export async function countOverdueMails(db: Database, nowMs: number): Promise<number> {
  const overdue = db("messages")
    .where({ status: "pending" })
    .whereNotNull("mailKind")
    .where("givesUpAtMs", "<=", nowMs);
  return (await overdue.count<{ count: number }[]>("* as count"))[0]?.count ?? 0;
}
