import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { MailOutcome, MailRequest } from "@sonde/proto/rpc/notifications";
import { isMailAddress } from "@sonde/proto/http/notifications/channels/channel";
import type { Budget, SendOutcome } from "../channels/channel.ts";
import type { AddressedMail } from "../channels/mail/mail.ts";
import { redact } from "../channels/redact.ts";
import { found, judgeByMail, lockChannel } from "../channels/channels.ts";
import { waitMs, countSpending, openBudgets } from "../deliveries/budgets.ts";
import { type DeliveryContext, type ReadyChannel, readyChannel } from "../deliveries/delivering.ts";
import { send } from "../deliveries/attempt.ts";

type SendMail = (request: MailRequest) => Promise<MailOutcome>;

const mostAtOnce = 16;
const busyMs = 1_000;

/**
 * Makes the verb that sends one mail with another service's text through a channel: one attempt, within the provider's
 * budget and through the egress guard. Nothing is stored; the caller retries with the same key.
 * @throws AppError not_found; invalid; impossible: a channel of another type, or one that is switched off
 */
export function mailSender(deps: DeliveryContext): SendMail {
  const limiter = createLimiter<null>({ total: mostAtOnce });
  return async (request) => {
    const { mail, key } = readMail(request, deps.clock.now());
    if (limiter.taken() >= mostAtOnce) return throttled(busyMs, "Sonde sends other mails at the moment");
    return limiter.run(null, () => sendMail(deps, request.channelId, mail, key));
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
    const channel = readyChannel(deps, stored);
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

const throttled = (afterMs: number, answer: string): MailOutcome => ({
  outcome: "retry",
  answer,
  retryAfterMs: Math.max(1, afterMs),
  throttled: true,
});
const noMail = () => new AppError("impossible", "This notification channel sends no mail");

/** By lower-case name: no other header may be given, so that no mail can be sent in another's name or to others. */
const allowedHeaders = new Set([
  "auto-submitted",
  "list-id",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "precedence",
  "x-auto-response-suppress",
]);
const mostHeaders = 10;
/** RFC 5322 §2.1.1: a line has at most 998 characters; name, colon and space are part of it. */
const longestValue = 900;
const longest = { to: 254, subject: 400, text: 100_000, html: 300_000, key: 200 } as const;

/**
 * Validates another service's mail. It is trusted no further than needed: header lines cannot be injected, and there is
 * one recipient.
 * @throws AppError invalid, with the field's name
 */
function readMail(request: MailRequest, atMs: number): { mail: AddressedMail; key: string } {
  const { to, subject, text, html, headers, key } = request;
  const faults: FieldFault[] = [];
  const refuse = (path: string, isFaulty: boolean) => {
    if (isFaulty) faults.push({ path, message: "This value is not valid" });
  };
  for (const name of ["to", "subject", "text", "html", "key"] as const) {
    refuse(name, request[name].length > longest[name]);
  }
  refuse("to", !isMailAddress(to) || !isPrintable(to));
  refuse("subject", subject === "" || hasControls(subject));
  refuse("text", text === "");
  refuse("key", !/^[\w.-]+$/.test(key));
  refuse("headers", headers.length > mostHeaders || headers.some(({ name, value }) => !isAllowed(name, value)));
  if (faults.length > 0) throw invalid(faults);
  const given = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  return { key, mail: { to, subject, text, html, headers: given, atMs } };
}

const isAllowed = (name: string, value: string) =>
  allowedHeaders.has(name.toLowerCase()) && value.length <= longestValue && isPrintable(value);
const isPrintable = (text: string) => /^[\x20-\x7e]+$/.test(text);
const hasControls = (text: string) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
