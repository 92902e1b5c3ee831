import { record } from "@sonde/domain/audit";
import { AppError } from "@sonde/kit/errors";
import { createLimiter } from "@sonde/kit/concurrency/limiter";
import { orUnavailable, type Database } from "@sonde/kit/postgres/database";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { Language } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import { findChannel, type StoredChannel } from "../channels/channels.ts";
import { attemptDelivery, messageParts } from "./attempt.ts";
import { leaseMs, type DeliveryContext, readyChannel, type ClaimedMessage } from "./delivery-context.ts";
import { deliveriesOf } from "./list.ts";
import { openBudgets } from "./budgets.ts";
import type { AlertFacts } from "../alerts/incident.ts";

/** No other process takes over a test, because a caller waits for its response. */
const givesUpAfterMs = leaseMs;
const maxConcurrent = 10;

/** `userId`: owner of the channel; absent for those of the team. */
export type TestChannel = (request: { id: number; language: Language; userId?: number | null }) => Promise<Delivery>;

/**
 * Returns the verb that tests a channel: one attempt with a sample incident, on the same path as an alert, even if the
 * channel is unhealthy. A reached rate limit is reported at once. The verb returns the delivery, failed or not.
 * @throws AppError `not_found`, or `too_many` if other tests are running
 */
export function channelTester(deps: DeliveryContext): TestChannel {
  const refusal = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 5 });
  const limiter = createLimiter<null>({ total: maxConcurrent, refusal });
  return async ({ id, language, userId = null }) => {
    const channel = await orUnavailable(() => findChannel(deps.db, id, userId));
    return limiter.run(null, () => orUnavailable(() => testChannel(deps, channel, language)));
  };
}

async function testChannel(deps: DeliveryContext, channel: StoredChannel, language: Language) {
  const { db, clock } = deps;
  const ready = readyChannel(deps, channel);
  const { deliveryId, message, isSent } = await db.transaction(async (trx) => {
    const nowMs = Math.round(clock.now());
    const budgets = await openBudgets(trx, ready?.budgets ?? new Map(), nowMs);
    const unsent = ready === null ? unreadable : budgets.free < 1 ? waitFor(budgets.waitMs) : null;
    if (unsent === null) await budgets.spend(1);
    const claimed = {
      key: randomUUID(),
      language,
      templateId: null,
      body: null,
      mailKind: null,
      attempts: 1,
      lease: randomUUID(),
      createdAtMs: nowMs,
      givesUpAtMs: nowMs + givesUpAfterMs,
      startedAtMs: nowMs,
    };
    const inserted = await insertTest(trx, channel, claimed, deps.sample(language, nowMs), unsent);
    const { id, name } = channel;
    await record(trx, "notifier", { action: "test", target: { type: "channel", id, name } });
    return { deliveryId: inserted.id, message: { id: inserted.messageId, ...claimed }, isSent: unsent === null };
  });
  if (ready !== null && isSent) {
    await attemptDelivery(deps, ready, message, { isOnly: true, parts: await messageParts(db, [message.id]) });
  }
  const [delivery] = await deliveriesOf(db, { ids: [deliveryId] });
  if (delivery === undefined) throw new AppError("not_found", "Notification channel does not exist");
  return delivery;
}

const unreadable = "Not sent: a stored secret cannot be read. Enter it again";
const waitFor = (waitMs: number) =>
  `Not sent: the provider's rate limit is reached, try again in ${Math.ceil(waitMs / 1_000)} s`;

/** @param unsent why the test already failed without being sent, or `null` if its attempt begins now */
async function insertTest(
  trx: Database,
  channel: StoredChannel,
  { createdAtMs: nowMs, givesUpAtMs, key, language, lease }: Omit<ClaimedMessage, "id">,
  facts: AlertFacts,
  unsent: string | null,
): Promise<{ id: number; messageId: number }> {
  const { rows } = await trx.raw<{ rows: { id: number; messageId: number }[] }>(
    `with alert as (
       insert into alerts (moment, kind, facts, created_at_ms) values ('test', 'test', :facts::jsonb, :nowMs) returning id
     ), message as (
       insert into messages
         (key, channel_id, targets, language, status, created_at_ms, due_at_ms, gives_up_at_ms, attempts, lease,
          lease_until_ms, settled_at_ms)
       values (:key, :channelId, '{}', :language, :status, :nowMs, :nowMs, :givesUpAtMs, 1, :lease, :leaseUntilMs,
         :settledAtMs)
       returning id
     ), begun as (
       insert into attempts (message_id, number, started_at_ms, ended_at_ms, answer)
       select id, 1, :nowMs::bigint, :settledAtMs::bigint, :answer from message
     )
     insert into deliveries
       (alert_id, message_id, channel_id, channel_type, channel_name, kind, status, created_at_ms)
     select alert.id, message.id, :channelId, :channelType, :channelName, 'test', :status, :nowMs from alert, message
     returning id, message_id`,
    {
      facts: JSON.stringify(facts),
      nowMs,
      key,
      channelId: channel.id,
      channelType: channel.type,
      channelName: channel.name,
      language,
      status: unsent === null ? "pending" : "failed",
      givesUpAtMs,
      lease: unsent === null ? lease : null,
      leaseUntilMs: unsent === null ? nowMs + leaseMs : null,
      settledAtMs: unsent === null ? null : nowMs,
      answer: unsent ?? "",
    },
  );
  const [made] = rows;
  if (made === undefined) throw new Error("inserting a test delivery returned no row");
  return made;
}
