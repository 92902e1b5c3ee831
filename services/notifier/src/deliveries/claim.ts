import type { Database } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";
import { lockChannel, markTried, type StoredChannel } from "../channels/store.ts";
import { leaseMs } from "./attempt.ts";
import { claimMessages, type ClaimedMessage, triedSince } from "./claim-store.ts";
import type { ChangedDelivery, DeliveryContext } from "./delivering.ts";
import { failMessages } from "./settle-store.ts";
import { openBudgets } from "./budgets/spend.ts";
import { type ReadyChannel, readyChannel } from "./ready-channel.ts";

/** The most messages of a channel in flight at once. */
export const mostOfChannel = 4;
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
 * Claims due messages of a channel, as far as its provider's limits and `room` permit, and spends of its budgets. If
 * nothing can be sent to it, due messages fail with the reason.
 */
export async function claim(deps: DeliveryContext, channelId: number, room: number): Promise<Claim> {
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
    const trial = stored.isHealthy ? anything : await trialOf(trx, stored, nowMs);
    if (trial === "wait") return nothing;
    if (trial === "refused") return fail(refusedBefore(stored));
    const { failed } = trial.only === null ? nothing : await fail(refusedBefore(stored), trial.only);
    const limit = Math.min(room, stored.isHealthy ? mostOfChannel : 1);
    const ready = readySafely(deps, stored);
    if (ready === null) return fail("Not sent: a stored secret cannot be read, enter it anew");
    const { free, waitMs, spend } = await openBudgets(trx, ready.budgets, nowMs);
    if (free === 0) return { ...nothing, failed, waitMs };
    const lease = randomUUID();
    const claimed = await claimMessages(trx, {
      channelId,
      nowMs,
      lease,
      leaseUntilMs: nowMs + leaseMs,
      limit: Math.min(limit, free),
      only: trial.only,
    });
    if (claimed.length === 0) return { ...nothing, failed };
    await spend(claimed.length);
    if (!stored.isHealthy && trial.only === null) await markTried(trx, channelId, nowMs);
    return { ...nothing, channel: ready, claimed, failed };
  });
}

/** What may be sent: one message alone, or any. */
type Allowed = { only: number | null };
const anything: Allowed = { only: null };

/**
 * What may be sent to a channel that its provider refused: once an hour one due message, until it is settled. While it
 * is in flight the others wait for its outcome; otherwise they fail.
 */
async function trialOf(trx: Database, channel: StoredChannel, nowMs: number): Promise<Allowed | "wait" | "refused"> {
  const { id, triedAtMs, refusedAtMs } = channel;
  const trial = triedAtMs === null ? null : await triedSince(trx, id, { sinceMs: triedAtMs, nowMs });
  if (trial !== null) return trial.isUnderWay ? "wait" : { only: trial.id };
  const sinceMs = nowMs - Math.max(refusedAtMs ?? 0, triedAtMs ?? 0);
  // A clock that was set back is no reason to wait until it has caught up.
  return sinceMs >= tryAgainMs || sinceMs < 0 ? anything : "refused";
}

function refusedBefore({ refusal }: StoredChannel): string {
  return `Not sent: the channel was refused before (${refusal ?? "no reason was given"})`.slice(0, 300);
}

function readySafely(deps: DeliveryContext, stored: StoredChannel): ReadyChannel | null {
  try {
    return readyChannel(deps, stored);
  } catch (err) {
    deps.log.error({ err, channelId: stored.id }, "a channel's secrets do not open");
    return null;
  }
}
