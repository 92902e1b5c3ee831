import type { Database } from "@sonde/kit/postgres/database";
import { targetKey } from "../../alerts/incident.ts";
import {
  deliveredAlready,
  findWaiting,
  insertDeliveries,
  lockGroup,
  type NewDelivery,
  saveGroup,
  saveMessages,
} from "./add-store.ts";
import { groupAlerts } from "./group.ts";

export type { NewDelivery };

const nothingWaits = { open: [], latest: new Map<string, number>() };
/** How long messages are retried before they fail. */
export const giveUpAfterMs = 24 * 3_600_000;

/**
 * Has an alert sent to a channel, within the transaction that decided it.
 * @returns the delivery's id; where the alert already has one to this channel, that one's
 */
export async function addDelivery(trx: Database, { channelId, nowMs, ...delivery }: NewDelivery): Promise<number> {
  await addDeliveries(trx, channelId, [delivery], nowMs);
  const known = await deliveredAlready(trx, channelId, [delivery.alertId]);
  return known.get(delivery.alertId) ?? 0;
}

/**
 * Adds alerts to a channel, in order, within the transaction that decided them: the first of a channel for people makes
 * a message that is due now, those of the next 10 s share one that is due at their end. A machine is sent each
 * separately. An alert that has a delivery to the channel gets no second one.
 * The channel stays locked until the transaction ends, so lock several by ascending id. Wake the sender (`ctx.due`)
 * after the commit.
 */
export async function addDeliveries(
  trx: Database,
  channelId: number,
  given: readonly Omit<NewDelivery, "channelId" | "nowMs">[],
  nowMs: number,
): Promise<void> {
  const groupUntilMs = await lockGroup(trx, channelId);
  const known = await deliveredAlready(
    trx,
    channelId,
    given.map(({ alertId }) => alertId),
  );
  const fresh = given.filter(({ alertId }) => !known.has(alertId));
  if (fresh.length === 0) return;
  const targets = fresh.filter(({ reader }) => reader === "people").map(({ facts }) => targetKey(facts.target));
  const waiting = targets.length > 0 ? await findWaiting(trx, channelId, targets) : nothingWaits;
  const grouped = groupAlerts(fresh, { ...waiting, groupUntilMs, nowMs });
  const givesUpAtMs = nowMs + giveUpAfterMs;
  const messageIds = await saveMessages(trx, { channelId, nowMs, givesUpAtMs, messages: grouped.messages });
  if (grouped.groupUntilMs !== groupUntilMs) await saveGroup(trx, channelId, grouped.groupUntilMs);
  await insertDeliveries(trx, {
    channelId,
    nowMs,
    deliveries: fresh.map((delivery, index) => ({
      ...delivery,
      messageId: messageIds[grouped.messageOf[index] ?? 0] ?? 0,
    })),
  });
}
