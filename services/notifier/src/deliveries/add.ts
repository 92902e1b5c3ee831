import type { Database } from "@sonde/kit/postgres/database";
import { randomUUID } from "node:crypto";
import { insertDelivery, lockGroup, type NewDelivery } from "./add-store.ts";

export type { NewDelivery };

/** How long alerts after the first of a channel are collected into one message. */
export const groupMs = 10_000;
/** How long a message is tried before it is given up. */
export const giveUpAfterMs = 24 * 3_600_000;

/**
 * Has an alert sent to a channel, within the transaction that decided it: the first alert of a channel for people makes a
 * message that is due now, those of the next 10 s share one that is due at their end. A machine is sent each by itself.
 * The channel stays locked until the transaction ends, so whoever adds to several takes them by ascending id. Tell the
 * sender (`ctx.due`) once it is committed.
 * @returns the delivery's id; where the alert already has one to this channel, that one's
 */
export async function addDelivery(trx: Database, delivery: NewDelivery): Promise<number> {
  const { channelId, reader, nowMs } = delivery;
  const groupUntilMs = await lockGroup(trx, channelId);
  const isGrouped = reader === "people";
  const isFirst = isGrouped && nowMs >= groupUntilMs;
  return insertDelivery(trx, {
    ...delivery,
    key: randomUUID(),
    isGrouped,
    takesAlerts: isGrouped && !isFirst,
    dueAtMs: isGrouped && !isFirst ? groupUntilMs : nowMs,
    groupUntilMs: isFirst ? nowMs + groupMs : groupUntilMs,
    givesUpAtMs: nowMs + giveUpAfterMs,
  });
}
