import { setTimeout as sleep } from "node:timers/promises";
import type { SendOutcome } from "../channels/channel.ts";
import { redact } from "../channels/redact.ts";
import { waitMs } from "./backoff.ts";
import type { ClaimedMessage } from "./claim-store.ts";
import { type MessagePart, compose } from "./compose.ts";
import { countSpending } from "./budgets/spend.ts";
import type { DeliveryContext } from "./delivering.ts";
import type { ReadyChannel } from "./ready-channel.ts";
import { confirmLease, type AttemptResult, recordEnding } from "./settle-store.ts";
import { send, sendMs, type SendResult } from "./send.ts";
import { observeDelivery } from "./telemetry.ts";

/** How long an attempt counts as in progress; after that another sender may claim the message. */
export const leaseMs = 30_000;

/**
 * How an attempt is made. `isOnly`: it is not retried, since a caller waits for the result. `parts`: its alerts, of a
 * message that was not composed yet.
 */
type AttemptOptions = { isOnly?: boolean; parts: readonly MessagePart[] };

/**
 * One attempt at a claimed message: composes it if needed, checks that the lease is still ours, sends it and records
 * the outcome. Never rejects: an outcome that cannot be recorded is sent again after its lease ends, under the same
 * key.
 */
export async function attempt(
  deps: DeliveryContext,
  channel: ReadyChannel,
  message: ClaimedMessage,
  { isOnly = false, parts }: AttemptOptions,
): Promise<void> {
  const { db, clock, log } = deps;
  const fields = { channelId: channel.id, type: channel.typeName, message: message.id };
  try {
    const composed =
      message.body === null ? await composeSafely(deps, message, channel, parts) : { body: message.body };
    if (!("body" in composed)) return await record(deps, channel, message, { ...composed, inDoubt: false }, isOnly);
    const nowMs = clock.now();
    const { body } = composed;
    if (!(await confirmLease(db, message, { body, nowMs, untilMs: nowMs + leaseMs }))) {
      return log.warn(fields, "a message went to another sender before it was sent");
    }
    await record(deps, channel, message, await send(deps, channel, message, body), isOnly);
  } catch (err) {
    log.error({ err, ...fields }, "what came of a message could not be recorded");
  }
}

type Unsent = { outcome: SendOutcome };

/** A fault of our own in composing is retried like one of the provider's; if the database is unavailable it rejects. */
async function composeSafely(
  deps: DeliveryContext,
  message: ClaimedMessage,
  channel: ReadyChannel,
  parts: readonly MessagePart[],
): Promise<{ body: string } | Unsent> {
  const composed = await compose(deps, message, channel, parts);
  if ("body" in composed) return composed;
  if ("fault" in composed) {
    const fault = redact(String(composed.fault), channel.secrets);
    deps.log.error({ fault, channelId: channel.id, message: message.id }, "composing a message failed");
    return { outcome: { outcome: "retry", answer: "Sonde could not compose this message" } };
  }
  return { outcome: { outcome: "refused", answer: composed.unsent } };
}

async function record(
  deps: DeliveryContext,
  channel: ReadyChannel,
  message: ClaimedMessage,
  { outcome, inDoubt }: SendResult,
  isOnly: boolean,
): Promise<void> {
  const { db, clock, log } = deps;
  const endedAtMs = clock.now();
  const ending = endingOf(channel, message, { outcome, inDoubt }, endedAtMs, isOnly);
  await countSpending(deps, channel, message, outcome, endedAtMs);
  const changed = await persist(deps, () => recordEnding(db, message, { ...ending, channelId: channel.id }));
  observeDelivery(channel.typeName, outcome.outcome, ending, changed);
  deps.changed(changed);
  const { status, answer, statusCode } = ending;
  const said = {
    channelId: channel.id,
    type: channel.typeName,
    message: message.id,
    attempt: message.attempts,
    statusCode,
  };
  if (status === "failed") log.warn({ ...said, answer }, "a message was not delivered");
  else log.debug({ ...said, status, answer }, "a message was attempted");
}

function endingOf(
  { secrets }: ReadyChannel,
  { attempts, givesUpAtMs }: ClaimedMessage,
  { outcome: given, inDoubt }: SendResult,
  endedAtMs: number,
  isOnly: boolean,
): AttemptResult {
  const { outcome, statusCode } = given;
  const next = outcome === "retry" ? endedAtMs + waitMs(attempts, given.afterMs) : endedAtMs;
  const health = { delivered: "good", retry: "unchanged", refused: "unchanged", broken: "refused" } as const;
  return {
    endedAtMs,
    statusCode: Number.isSafeInteger(statusCode) ? statusCode : undefined,
    answer: redact(given.answer, secrets),
    inDoubt,
    status: outcome === "delivered" ? "delivered" : outcome === "retry" && !isOnly ? "pending" : "failed",
    // At that instant it fails for good.
    dueAtMs: Math.min(next, givesUpAtMs),
    reference: outcome === "delivered" ? given.reference : undefined,
    health: outcome === "broken" && given.dead === true ? "dead" : health[outcome],
  };
}

/** A known outcome that is lost would be sent again: while the lease lasts it is tried to keep it. */
async function persist<Answer>({ clock }: DeliveryContext, run: () => Promise<Answer>): Promise<Answer> {
  const untilMs = clock.elapsedMs() + leaseMs - sendMs;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (clock.elapsedMs() >= untilMs) throw error;
      await sleep(500);
    }
  }
}
