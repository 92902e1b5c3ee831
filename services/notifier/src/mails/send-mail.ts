import { AppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { MailOutcome, MailRequest } from "@sonde/proto/rpc/notifications";
import type { Budget, SendOutcome } from "../channels/channel.ts";
import type { AddressedMail } from "../channels/mail/mail.ts";
import { redact } from "../channels/redact.ts";
import { found, judgeByMail, lockChannel, type StoredChannel } from "../channels/store.ts";
import { waitMs } from "../deliveries/backoff.ts";
import { countSpending, openBudgets } from "../deliveries/budgets/spend.ts";
import type { DeliveryContext } from "../deliveries/delivering.ts";
import { type ReadyChannel, readyChannel } from "../deliveries/ready-channel.ts";
import { send } from "../deliveries/send.ts";
import { readMail } from "./mail-request.ts";

export type SendMail = (request: MailRequest) => Promise<MailOutcome>;

const mostAtOnce = 16;
const busyMs = 1_000;

/**
 * Makes the verb that sends one mail with another service's text through a channel: one attempt, within the provider's
 * budget and through the egress guard. Nothing is stored; the caller retries with the same key.
 * @throws AppError not_found; invalid; impossible: a channel of another type, or one that is switched off
 */
export function mailSender(deps: DeliveryContext): SendMail {
  let underWay = 0;
  return async (request) => {
    const { mail, key } = readMail(request, deps.clock.now());
    if (underWay >= mostAtOnce) return throttled(busyMs, "Sonde sends other mails at the moment");
    underWay += 1;
    try {
      return await sendMail(deps, request.channelId, mail, key);
    } finally {
      underWay -= 1;
    }
  };
}

type Ready = { channel: ReadyChannel; startedAtMs: number };

async function sendMail(
  deps: DeliveryContext,
  channelId: number,
  mail: AddressedMail,
  key: string,
): Promise<MailOutcome> {
  const taken = await orUnavailable(() => takeTurn(deps, channelId));
  if (!("channel" in taken)) return taken;
  const { channel, startedAtMs } = taken;
  const body = channel.type.composeMail?.(mail, channel.config);
  if (body === undefined) throw noMail();
  const { outcome } = await send(deps, channel, { key }, body);
  const endedAtMs = deps.clock.now();
  await countSpending(deps, channel, { attempts: 1, startedAtMs }, outcome, endedAtMs);
  const answer = redact(outcome.answer, channel.secrets);
  await judge(deps, channel, outcome, { answer, atMs: endedAtMs });
  return { ...presentOutcome(outcome), answer };
}

/** What may be sent now is counted as spent; else why nothing is sent. */
async function takeTurn(deps: DeliveryContext, channelId: number): Promise<Ready | MailOutcome> {
  const { db, clock } = deps;
  return db.transaction(async (trx) => {
    const stored = found(await lockChannel(trx, channelId));
    if (deps.channelOf(stored.type).composeMail === undefined) throw noMail();
    if (!stored.enabled) throw new AppError("impossible", "The notification channel is switched off");
    if (stored.isDead) return { outcome: "broken", answer: stored.refusal ?? "" };
    const channel = readySafely(deps, stored);
    if (channel === null) return { outcome: "broken", answer: "A stored secret cannot be read, enter it anew" };
    const startedAtMs = clock.now();
    const budgets = await openBudgets(trx, leavingOne(channel.budgets), startedAtMs);
    if (budgets.free < 1) return throttled(budgets.waitMs, "The limit of what the provider takes is reached");
    await budgets.spend(1);
    return { channel, startedAtMs };
  });
}

/** Thousands of mails would use up what a provider allows: one request at a time is left for alerts. */
function leavingOne(budgets: ReadonlyMap<string, Budget>): Map<string, Budget> {
  return new Map([...budgets].map(([key, budget]) => [key, { ...budget, requests: Math.max(1, budget.requests - 1) }]));
}

function presentOutcome(outcome: SendOutcome): Omit<MailOutcome, "answer"> {
  if (outcome.outcome === "broken") return { outcome: isOfRecipient(outcome) ? "refused" : "broken" };
  if (outcome.outcome !== "retry") return { outcome: outcome.outcome };
  const { afterMs, throttled: isThrottled = false } = outcome;
  const retryAfterMs = isThrottled || afterMs !== undefined ? waitMs(1, afterMs) : undefined;
  return { outcome: "retry", retryAfterMs, throttled: isThrottled };
}

/** Subscribers may enter addresses that do not exist: that is no evidence about the channel. */
const isOfRecipient = (outcome: SendOutcome) => outcome.outcome === "broken" && outcome.recipients === true;

async function judge(
  { db, log }: DeliveryContext,
  { id }: ReadyChannel,
  outcome: SendOutcome,
  said: { answer: string; atMs: number },
): Promise<void> {
  if (outcome.outcome !== "delivered" && (outcome.outcome !== "broken" || isOfRecipient(outcome))) return;
  try {
    await judgeByMail(db, id, { isHealthy: outcome.outcome === "delivered", ...said });
  } catch (err) {
    // What became of the mail is worth more: sent again it would arrive twice.
    log.warn({ err, channelId: id }, "the health of a channel could not be recorded");
  }
}

function readySafely(deps: DeliveryContext, stored: StoredChannel): ReadyChannel | null {
  try {
    return readyChannel(deps, stored);
  } catch {
    return null;
  }
}

const throttled = (afterMs: number, answer: string): MailOutcome => ({
  outcome: "retry",
  answer,
  retryAfterMs: Math.max(1, afterMs),
  throttled: true,
});
const noMail = () => new AppError("impossible", "This notification channel sends no mail");
