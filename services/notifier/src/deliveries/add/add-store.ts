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
    .update({ group_until_ms: Math.round(untilMs) });
}

/** Of some alerts the deliveries that a channel has already, by alert. */
export async function deliveredAlready(
  trx: Database,
  channelId: number,
  alertIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await trx("deliveries")
    .where({ channel_id: channelId })
    .whereRaw("alert_id = any(?)", [[...alertIds]])
    .select<{ id: number; alert_id: number }[]>("id", "alert_id");
  return new Map(rows.map(({ id, alert_id }) => [alert_id, id]));
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
    `select id, language, template_id as "templateId", cardinality(targets) as alerts from messages
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
    channel_id: channelId,
    targets: message.targets,
    language: message.language,
    template_id: message.templateId,
    status: "pending",
    created_at_ms: Math.round(nowMs),
    due_at_ms: Math.round(message.dueAtMs),
    gives_up_at_ms: Math.round(givesUpAtMs),
    takes_alerts: message.takesAlerts,
  }));
  const names = Object.keys(rows[0] ?? {}).join(", ");
  const added = await trx.raw<{ rows: { id: number; key: string }[] }>(
    `insert into messages (${names})
     select ${names} from jsonb_populate_recordset(null::messages, ?::jsonb) with ordinality as given order by ordinality
     returning id, key`,
    [JSON.stringify(rows)],
  );
  return new Map(added.rows.map(({ id, key }) => [key, id]));
}

type DeliveryOf = Omit<NewDelivery, "channelId" | "nowMs"> & { messageId: number };

/** Adds deliveries, in their order. */
export async function insertDeliveries(
  trx: Database,
  { channelId, nowMs, deliveries }: { channelId: number; nowMs: number; deliveries: readonly DeliveryOf[] },
): Promise<void> {
  const rows = deliveries.map(({ facts, ...delivery }) => ({
    alert_id: delivery.alertId,
    message_id: delivery.messageId,
    channel_id: channelId,
    channel_type: delivery.channelType,
    channel_name: delivery.channelName,
    kind: facts.kind,
    target_type: facts.target.type,
    target_id: facts.target.id,
    target_name: facts.target.name,
    incident_id: facts.incidentId,
    reminder: facts.reminder,
    status: "pending",
    created_at_ms: Math.round(nowMs),
  }));
  const names = Object.keys(rows[0] ?? {}).join(", ");
  await trx.raw(
    `insert into deliveries (${names})
     select ${names} from jsonb_populate_recordset(null::deliveries, ?::jsonb) with ordinality as given order by ordinality`,
    [JSON.stringify(rows)],
  );
}
