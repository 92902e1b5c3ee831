import type { Database } from "@sonde/kit/postgres/database";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { AddressedAlert, GroupedMessage, OpenMessage, WaitingMessages } from "./group.ts";

export type NewDelivery = AddressedAlert & {
  alertId: number;
  channelId: number;
  channelType: ChannelTypeName;
  channelName: string;
  /** Epoch ms. */
  nowMs: number;
};

/** Until when a channel's alerts are collected; the channel is locked against additions until the transaction ends. */
export async function lockGroup(trx: Database, channelId: number): Promise<number> {
  const { rows } = await trx.raw<{ rows: { until: number }[] }>(
    "select group_until_ms as until from channels where id = ? for update",
    [channelId],
  );
  return rows[0]?.until ?? 0;
}

export async function saveGroup(trx: Database, channelId: number, untilMs: number): Promise<void> {
  await trx("channels")
    .where({ id: channelId })
    .update({ groupUntilMs: Math.round(untilMs) });
}

/** Of some alerts the deliveries that a channel has already, by alert. */
export async function deliveredAlready(
  trx: Database,
  channelId: number,
  alertIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await trx("deliveries")
    .where({ channelId })
    .whereRaw("alert_id = any(?)", [[...alertIds]])
    .select<{ id: number; alertId: number }[]>("id", "alert_id");
  return new Map(rows.map(({ id, alertId }) => [alertId, id]));
}

/**
 * The messages of a channel that accept alerts, and the last ones about some targets. The former are locked against
 * sending until the transaction ends.
 */
export async function findWaiting(
  trx: Database,
  channelId: number,
  targets: readonly string[],
): Promise<WaitingMessages> {
  const { rows: open } = await trx.raw<{ rows: OpenMessage[] }>(
    `select id, language, template_id, cardinality(targets) as alerts from messages
     where channel_id = ? and status = 'pending' and takes_alerts order by id for update`,
    [channelId],
  );
  if (open.length === 0) return { open, latest: new Map() };
  const { rows } = await trx.raw<{ rows: { target: string; id: number }[] }>(
    `select target, max(id) as id from messages cross join unnest(targets) as target
     where channel_id = ? and status = 'pending' and target = any(?) group by target`,
    [channelId, [...targets]],
  );
  return { open, latest: new Map(rows.map(({ target, id }) => [target, id])) };
}

type Saving = { channelId: number; nowMs: number; givesUpAtMs: number; messages: readonly GroupedMessage[] };

/** Adds new messages, in their order, and targets to those that are there; answers all their ids. */
export async function saveMessages(trx: Database, { messages, ...saving }: Saving): Promise<number[]> {
  const joined = messages.filter(({ id }) => id !== null);
  if (joined.length > 0) {
    await trx.raw(
      `update messages set targets = messages.targets || joined.targets
       from jsonb_to_recordset(?::jsonb) as joined (id bigint, targets text[]) where messages.id = joined.id`,
      [JSON.stringify(joined)],
    );
  }
  const ids = await insertMessages(trx, { ...saving, messages: messages.filter(({ id }) => id === null) });
  return messages.map(({ id, key }) => id ?? ids.get(key) ?? 0);
}

async function insertMessages(
  trx: Database,
  { channelId, nowMs, givesUpAtMs, messages }: Saving,
): Promise<Map<string, number>> {
  if (messages.length === 0) return new Map();
  const rows = messages.map((message) => ({
    key: message.key,
    channelId,
    targets: message.targets,
    language: message.language,
    templateId: message.templateId,
    status: "pending",
    createdAtMs: Math.round(nowMs),
    dueAtMs: Math.round(message.dueAtMs),
    givesUpAtMs: Math.round(givesUpAtMs),
    takesAlerts: message.takesAlerts,
  }));
  const added = await trx("messages").insert(rows).returning<{ id: number; key: string }[]>(["id", "key"]);
  return new Map(added.map(({ id, key }) => [key, id]));
}

type DeliveryOf = Omit<NewDelivery, "channelId" | "nowMs"> & { messageId: number };

/** Adds deliveries, in their order. */
export async function insertDeliveries(
  trx: Database,
  { channelId, nowMs, deliveries }: { channelId: number; nowMs: number; deliveries: readonly DeliveryOf[] },
): Promise<void> {
  const rows = deliveries.map(({ facts, ...delivery }) => ({
    alertId: delivery.alertId,
    messageId: delivery.messageId,
    channelId,
    channelType: delivery.channelType,
    channelName: delivery.channelName,
    kind: facts.kind,
    targetType: facts.target.type,
    targetId: facts.target.id,
    targetName: facts.target.name,
    incidentId: facts.incidentId,
    reminder: facts.reminder,
    status: "pending",
    createdAtMs: Math.round(nowMs),
  }));
  await trx("deliveries").insert(rows);
}
