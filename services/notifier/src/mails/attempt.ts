import { AppError } from "@sonde/kit/errors";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { SendOutcome } from "../channels/channel.ts";
import { judgeByMail } from "../channels/channels.ts";
import { blockBudgets, mailBudgetKey } from "../deliveries/budgets.ts";
import type { AttemptResult, ClaimedMessage, DeliveryContext, ReadyChannel } from "../deliveries/delivery-context.ts";
import { readMail } from "./content.ts";

const attempts = counter(
  "sonde_status_mails_total",
  "Delivery attempts of mails to subscribers, status page readers and account owners",
  ["kind", "outcome"],
);

/** Fetches the text just before sending, so withdrawals count. It has tokens, so it is not stored. */
export async function composeMail(
  { mailOf, clock, log }: DeliveryContext,
  { id, key }: ClaimedMessage,
  { type, config }: ReadyChannel,
): Promise<{ body: string } | { outcome: SendOutcome }> {
  try {
    const content = await mailOf(key);
    if (content === undefined) return { outcome: { outcome: "refused", answer: "Not sent: it was withdrawn" } };
    return { body: type.composeMail!(readMail(content, clock.now()), config) };
  } catch (err) {
    log.warn({ err, message: id }, "composing a mail failed");
    const isInvalid = err instanceof AppError && err.code === "invalid";
    return { outcome: { outcome: isInvalid ? "refused" : "retry", answer: "Sonde could not compose this mail" } };
  }
}

/** Mails wait while their channel is refused. If only the recipient is refused, the mail fails. */
export function outcomeOfMail(outcome: SendOutcome): SendOutcome {
  if (outcome.outcome !== "broken") return outcome;
  const { statusCode, answer } = outcome;
  return { statusCode, answer, outcome: outcome.recipients === true ? "refused" : "retry" };
}

/**
 * Counts an attempt and applies its outcome to the channel. A refused recipient does not affect the channel, since
 * subscribers may enter addresses that do not exist. After a refusal of the channel, its mails wait until this one is
 * due again.
 */
export async function judgeMail(
  { db, log }: DeliveryContext,
  { id }: ReadyChannel,
  { mailKind }: ClaimedMessage,
  outcome: SendOutcome,
  { answer, endedAtMs, dueAtMs }: AttemptResult,
): Promise<void> {
  const isBroken = outcome.outcome === "broken" && outcome.recipients !== true;
  const isThrottled = outcome.outcome === "retry" && outcome.throttled === true;
  const counted = isBroken ? "channel" : isThrottled ? "throttled" : outcomeOfMail(outcome).outcome;
  attempts.inc({ kind: mailKind ?? "", outcome: counted });
  if (!isBroken && outcome.outcome !== "delivered") return;
  try {
    await judgeByMail(db, id, { isHealthy: !isBroken, answer, atMs: endedAtMs });
    if (isBroken) await blockBudgets(db, [mailBudgetKey(id)], dueAtMs);
  } catch (err) {
    // Losing the mail's outcome would be worse, because it would be sent twice.
    log.warn({ err, channelId: id }, "recording a channel's health failed");
  }
}
