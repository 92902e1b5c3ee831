import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@sonde/kit/postgres/database";
import type { SendOutcome } from "../channels/channel.ts";
import { redact } from "../channels/redact.ts";
import { waitMs, countSpending, failuresOf } from "./budgets.ts";
import { composeMail, judgeMail, outcomeOfMail } from "../mails/attempt.ts";
import { usesEvidence } from "./evidence.ts";
import {
  type ClaimedMessage,
  type DeliveryContext,
  type ReadyChannel,
  observeDelivery,
  type AttemptResult,
  leaseMs,
} from "./delivery-context.ts";
import { causesOfMessage } from "./shared-causes.ts";
import { confirmLease, recordEnding, failDeliveries } from "./settle-store.ts";
import { type OutgoingRequests, EgressError } from "@sonde/kit/egress/requests";
import type { AlertFacts } from "../alerts/incident.ts";
import type { ChannelMessage } from "../messages/message.ts";
import { languageOfPerson, type ChannelNotice } from "../on-call/notices.ts";
import { isPolled } from "../taps/bots.ts";
import type { UsedTemplate } from "../messages/render.ts";

/**
 * Attempts a claimed message: renders it if needed, confirms the lease, sends it and records the outcome. Never
 * rejects. If the outcome cannot be recorded, the message is sent again under the same key after the lease ends.
 * @param parts alerts of a message that was not rendered yet
 * @param isOnly not retried, since a caller waits for the result
 */
export async function attemptDelivery(
  deps: DeliveryContext,
  channel: ReadyChannel,
  message: ClaimedMessage,
  { isOnly = false, parts }: { isOnly?: boolean; parts: readonly MessagePart[] },
): Promise<void> {
  const { db, clock, log } = deps;
  const fields = { channelId: channel.id, type: channel.typeName, message: message.id };
  try {
    const composed = await bodyOf(deps, channel, message, parts);
    if (!("body" in composed)) return await record(deps, channel, message, { ...composed, inDoubt: false }, isOnly);
    const nowMs = clock.now();
    const { body } = composed;
    const stored = message.mailKind === null ? body : message.body;
    if (!(await confirmLease(db, message, { body: stored, nowMs, untilMs: nowMs + leaseMs }))) {
      return log.warn(fields, "lease lost before sending a message");
    }
    await record(deps, channel, message, await send(deps, channel, message, body), isOnly);
  } catch (err) {
    log.error({ err, ...fields }, "recording a message's outcome failed");
  }
}

async function bodyOf(
  deps: DeliveryContext,
  channel: ReadyChannel,
  message: ClaimedMessage,
  parts: readonly MessagePart[],
): Promise<{ body: string } | { outcome: SendOutcome }> {
  if (message.body !== null) return { body: message.body };
  if (message.notice != null) return composeNotice(deps, message.notice, message.key, channel);
  return message.mailKind === null ? compose(deps, message, channel, parts) : composeMail(deps, message, channel);
}

async function record(
  deps: DeliveryContext,
  channel: ReadyChannel,
  message: ClaimedMessage,
  { outcome: given, inDoubt }: SendResult,
  isOnly: boolean,
): Promise<void> {
  const { db, clock, log } = deps;
  const isMail = message.mailKind !== null;
  const endedAtMs = clock.now();
  const outcome = isMail ? outcomeOfMail(given) : given;
  const ending = endingOf(channel, message, { outcome, inDoubt }, endedAtMs, isOnly);
  await countSpending(deps, channel, message, outcome, endedAtMs);
  // A notice that no longer applies says nothing about its channel.
  const isWithdrawn = message.notice != null && outcome.outcome === "refused";
  const judgedId = isMail || isWithdrawn ? null : channel.id;
  const changed = await persist(deps, () => recordEnding(db, message, { ...ending, channelId: judgedId }));
  if (isMail) await judgeMail(deps, channel, message, given, ending);
  observeDelivery(channel.typeName, outcome.outcome, ending, changed);
  deps.changed(changed);
  if (ending.health === "dead" && channel.typeName === "web-push") await deps.removeGoneDevices();
  const { status, answer, statusCode } = ending;
  const fields = { channelId: channel.id, type: channel.typeName, message: message.id };
  const said = { ...fields, attempt: message.attempts, statusCode };
  if (status === "failed") log.warn({ ...said, answer }, "message not delivered");
  else log.debug({ ...said, status, answer }, "message attempted");
}

function endingOf(
  { secrets }: ReadyChannel,
  message: ClaimedMessage,
  { outcome: given, inDoubt }: SendResult,
  endedAtMs: number,
  isOnly: boolean,
): AttemptResult {
  const { outcome, statusCode } = given;
  const next = outcome === "retry" ? endedAtMs + waitMs(failuresOf(message, given), given.afterMs) : endedAtMs;
  const health = { delivered: "good", retry: "unchanged", refused: "unchanged", broken: "refused" } as const;
  return {
    endedAtMs,
    statusCode: Number.isSafeInteger(statusCode) ? statusCode : undefined,
    answer: redact(given.answer, secrets),
    inDoubt,
    status: outcome === "delivered" ? "delivered" : outcome === "retry" && !isOnly ? "pending" : "failed",
    dueAtMs: Math.min(next, message.givesUpAtMs),
    reference: outcome === "delivered" ? given.reference : undefined,
    health: outcome === "broken" && given.dead === true ? "dead" : health[outcome],
  };
}

/** Retries for as long as the lease lasts, because a message whose outcome is lost is sent again. */
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

export const sendMs = 15_000;
/** A channel that ignores the abort signal is abandoned after this extra time. */
export const hardStopMs = 1_000;

type SendResult = { outcome: SendOutcome; inDoubt: boolean };

type SendContext = Pick<DeliveryContext, "egress" | "clock" | "log"> &
  Partial<Pick<DeliveryContext, "pushIdentity" | "startCall">>;

/** Sends a rendered message. Returns within 16 s, whatever the provider does. */
export async function send(
  { egress, clock, log, pushIdentity, startCall }: SendContext,
  { type, typeName, config, secrets }: Pick<ReadyChannel, "type" | "typeName" | "config" | "secrets">,
  { key }: Pick<ClaimedMessage, "key">,
  body: string,
): Promise<SendResult> {
  const stop = new AbortController();
  const watched = watch(egress);
  const own = { pushIdentity, startCall };
  const sending = { body, config, key, atMs: clock.now(), egress: watched.egress, ...own, signal: stop.signal };
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number) => new Promise<void>((resolve) => timers.push(setTimeout(resolve, ms)));
  void after(sendMs).then(() => stop.abort(new DOMException("The provider took too long to respond", "TimeoutError")));
  try {
    const outcome = await Promise.race([type.send(sending), after(sendMs + hardStopMs)]);
    if (outcome === undefined) return { outcome: tooLong, inDoubt: true };
    const isUnanswered = outcome.outcome === "retry" && outcome.statusCode === undefined;
    return { outcome, inDoubt: isUnanswered && watched.isInDoubt() };
  } catch (err) {
    // Not the error itself: an invalid address appears in it.
    log.error({ fault: redact(String(err), secrets), type: typeName }, "sending failed because of an internal error");
    return { outcome: { outcome: "retry", answer: "Sonde failed while sending this message" }, inDoubt: true };
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

const tooLong: SendOutcome = { outcome: "retry", answer: "The provider took too long to respond" };

function watch(egress: OutgoingRequests): { egress: OutgoingRequests; isInDoubt(): boolean } {
  let inDoubt = false;
  return {
    isInDoubt: () => inDoubt,
    egress: {
      addressOf: (host) => egress.addressOf(host),
      request: (request) =>
        egress.request(request).catch((fault: unknown) => {
          inDoubt ||= fault instanceof EgressError && fault.sent;
          throw fault;
        }),
    },
  };
}

const beginningFailed = "Not sent: the first alert of this incident could not be delivered to this channel";

/**
 * Renders the alerts of a message for its channel. The end of an incident is left out if its opening failed permanently
 * (`all`: its alerts), since its recipients do not know the incident. An error in our own code is retried like a
 * provider's. Rejects only if the database is unavailable.
 * @returns the body, or the outcome of a message that is not sent
 */
async function compose(
  deps: DeliveryContext,
  { id, key, language, templateId }: ClaimedMessage,
  channel: ReadyChannel,
  all: readonly MessagePart[],
): Promise<{ body: string } | { outcome: SendOutcome }> {
  const parts = all.filter(({ moment, before }) => moment !== "closed" || before !== "failed");
  const [first] = parts;
  if (first === undefined) return { outcome: { outcome: "refused", answer: beginningFailed } };
  const unsent = all.filter((part) => !parts.includes(part));
  if (unsent.length > 0) {
    const ids = unsent.map(({ deliveryId }) => deliveryId);
    deps.changed(await failDeliveries(deps.db, id, { ids, nowMs: deps.clock.now(), answer: beginningFailed }));
  }
  const template = templateId === null ? null : await templateOf(deps.db, templateId);
  const alerts = parts.map(({ facts }) => facts);
  if (alerts.length === 1 && usesEvidence([template?.subject, template?.content, JSON.stringify(channel.config)]))
    alerts[0] = { ...first.facts, evidenceBody: await deps.evidenceOf(first.facts) };
  // Messages to machines have one alert.
  const isWebhook = channel.typeName === "webhook";
  const sharedCauses =
    isWebhook || alerts.length > 1 ? await causesOfMessage(deps.monitors, parts, isWebhook ? 1 : 2) : [];
  const answered = answeredBy(parts);
  const isTest = first.facts.kind === "test";
  const ownLanguage = isTest || channel.userId === null ? undefined : await languageOfPerson(deps.db, channel.userId);
  const isMail = channel.type.composeMail !== undefined;
  const answers = isMail && answered !== null ? await subjectOf(deps.db, answered.id) : undefined;
  try {
    const message = deps.render({
      key,
      alerts,
      language: ownLanguage ?? language,
      template,
      linksOf: deps.linksOf(channel.id),
      sharedCauses,
      isTest,
    });
    const seen = { ...message, ...(await seenNow(deps.db, channel, message)) };
    return { body: channel.type.compose(seen, channel.config, answered?.reference, answers) };
  } catch (thrown) {
    const fault = redact(String(thrown), channel.secrets);
    deps.log.error({ fault, channelId: channel.id, message: id }, "rendering a message failed");
    return { outcome: { outcome: "retry", answer: "Sonde could not compose this message" } };
  }
}

async function composeNotice(
  deps: DeliveryContext,
  notice: ChannelNotice,
  key: string,
  { type, config }: ReadyChannel,
): Promise<{ body: string } | { outcome: SendOutcome }> {
  const message = await deps.noticeOf(notice, key);
  if (message === undefined) return { outcome: { outcome: "refused", answer: "Not sent: it no longer applies" } };
  return { body: type.compose(message, config, undefined) };
}

/** Returns the message to reply to: the one that reported the opening of all its incidents, or `null`. */
function answeredBy(parts: readonly MessagePart[]): { reference: string; id: number } | null {
  const [first] = parts;
  if (first === undefined || parts.some(({ reference }) => reference !== first.reference)) return null;
  const { reference, referenceId: id } = first;
  return reference === null || id === null ? null : { reference, id };
}

type MessagePart = {
  messageId: number;
  deliveryId: number;
  facts: AlertFacts;
  moment: string;
  /** Earlier deliveries: at least one may have arrived; all failed permanently; there were none. */
  before: "sent" | "failed" | "nothing";
  reference: string | null;
  referenceId: number | null;
};

export async function messageParts(db: Database, messageIds: readonly number[]): Promise<MessagePart[]> {
  const { rows } = await db.raw<{ rows: MessagePart[] }>(
    `select deliveries.message_id, deliveries.id as delivery_id, alerts.facts, alerts.moment, coalesce(before.outcome, 'nothing') as before,
       before.reference, before.reference_id
     from deliveries
     join alerts on alerts.id = alert_id
     left join lateral (
       select
         case when bool_or(messages.status <> 'failed' or exists (
           select from attempts where message_id = messages.id and (ended_at_ms is null or in_doubt)
         )) then 'sent' else 'failed' end as outcome,
         (array_agg(messages.reference order by earlier.id) filter (where messages.reference is not null))[1]
           as reference,
         (array_agg(messages.id order by earlier.id) filter (where messages.reference is not null))[1] as reference_id
       from deliveries earlier
       join messages on messages.id = earlier.message_id
       where earlier.incident_id = deliveries.incident_id and earlier.channel_id = deliveries.channel_id
         and earlier.id < deliveries.id
       having count(*) > 0
     ) before on alerts.moment <> 'opened'
     where deliveries.message_id = any(?)
     order by deliveries.id`,
    [[...messageIds]],
  );
  return rows;
}

async function subjectOf(db: Database, messageId: number): Promise<string | undefined> {
  const row = await db("messages").where({ id: messageId }).first<{ body: string | null } | undefined>("body");
  const { subject } = JSON.parse(row?.body ?? "{}") as { subject?: unknown };
  return typeof subject === "string" ? subject : undefined;
}

/** What only some types of channel show, as of now. */
async function seenNow(db: Database, { typeName, config }: ReadyChannel, { tap }: ChannelMessage) {
  if (typeName === "web-push") return { openIncidents: await countOpen(db) };
  const canTap = typeName === "telegram" && tap !== undefined;
  return { tap: canTap && (await isPolled(db, config as never)) ? tap : undefined };
}

async function countOpen(db: Database): Promise<number> {
  const [row] = await db("incidents").whereNull("closedAtMs").count<{ count: number }[]>("* as count");
  return row?.count ?? 0;
}

async function templateOf(db: Database, id: number): Promise<UsedTemplate | null> {
  const row = await db("templates").where({ id }).first<UsedTemplate | undefined>("kind", "subject", "content");
  return row ?? null;
}
