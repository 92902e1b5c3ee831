import { AppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { Language } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import { findChannel } from "../channels/store.ts";
import type { StoredChannel } from "../channels/stored-channel.ts";
import { attempt, leaseMs } from "./attempt.ts";
import { partsOf } from "./compose-store.ts";
import type { DeliveryContext } from "./delivering.ts";
import { deliveriesOf } from "./list.ts";
import { type ReadyChannel, readyChannel } from "./ready-channel.ts";
import { openBudgets } from "./spend.ts";
import { insertTest } from "./test-store.ts";

/** A caller waits for the answer, so a test that its process did not finish is not sent by another. */
const givesUpAfterMs = leaseMs;
const mostAtOnce = 10;

export type TestChannel = (request: { id: number; language: Language }) => Promise<Delivery>;

/**
 * Makes the verb that tests a channel: one attempt with a sample incident, on the same path as an alert, whatever the
 * channel's health is. If the provider's limit is reached it reports that at once. The verb returns the delivery,
 * failed or not. @throws AppError not_found; too_many: other tests are running
 */
export function channelTester(deps: DeliveryContext): TestChannel {
  let underWay = 0;
  return async ({ id, language }) => {
    const channel = await orUnavailable(() => findChannel(deps.db, id));
    if (underWay >= mostAtOnce) {
      throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 5 });
    }
    underWay += 1;
    try {
      return await orUnavailable(() => testChannel(deps, channel, language));
    } finally {
      underWay -= 1;
    }
  };
}

async function testChannel(deps: DeliveryContext, channel: StoredChannel, language: Language) {
  const { db, clock } = deps;
  const ready = readySafely(deps, channel);
  const { deliveryId, message, isSent } = await db.transaction(async (trx) => {
    const nowMs = clock.now();
    const budgets = await openBudgets(trx, ready?.budgets ?? new Map(), nowMs);
    const unsent = ready === null ? unreadable : budgets.free < 1 ? waitFor(budgets.waitMs) : null;
    if (unsent === null) await budgets.spend(1);
    const inserted = await insertTest(trx, {
      channel,
      facts: deps.sample(language, nowMs),
      language,
      key: randomUUID(),
      lease: randomUUID(),
      nowMs,
      leaseUntilMs: nowMs + leaseMs,
      givesUpAtMs: nowMs + givesUpAfterMs,
      unsent,
    });
    return { ...inserted, isSent: unsent === null };
  });
  if (ready !== null && isSent) {
    await attempt(deps, ready, message, { isOnly: true, parts: await partsOf(db, [message.id]) });
  }
  const [delivery] = await deliveriesOf(db, { ids: [deliveryId] });
  if (delivery === undefined) throw new AppError("not_found", "Notification channel does not exist");
  return delivery;
}

const unreadable = "Not sent: a stored secret cannot be read, enter it anew";
const waitFor = (waitMs: number) =>
  `Not sent: the limit of what the provider takes is reached, try again in ${Math.ceil(waitMs / 1_000)} s`;

function readySafely(deps: DeliveryContext, channel: StoredChannel): ReadyChannel | null {
  try {
    return readyChannel(deps, channel);
  } catch {
    return null;
  }
}
