import type { Database } from "@sonde/kit/postgres/database";
import type { ChannelTypeName } from "@sonde/proto/http/channel-types";
import type { Language } from "@sonde/proto/http/messages";
import type { AlertFacts } from "../alerts/alert.ts";
import type { AnyChannel } from "../channels/channel.ts";

export type NewDelivery = {
  alertId: number;
  facts: AlertFacts;
  channelId: number;
  channelType: ChannelTypeName;
  channelName: string;
  /** Of the channel's type. */
  reader: AnyChannel["reader"];
  language: Language;
  templateId: number | null;
  /** Epoch ms. */
  nowMs: number;
};

/** Until when a channel's alerts are collected; nobody else adds to the channel until the transaction ends. */
export async function lockGroup(trx: Database, channelId: number): Promise<number> {
  const { rows } = await trx.raw<{ rows: { until: number }[] }>(
    "select group_until_ms as until from channels where id = ? for update",
    [channelId],
  );
  return rows[0]?.until ?? 0;
}

/** So many alerts share a message at most: each is read again when the message is composed. */
const mostAlerts = 500;

export type DeliveryRow = NewDelivery & {
  key: string;
  /** It joins a message that was not tried yet, where one takes alerts. */
  isGrouped: boolean;
  takesAlerts: boolean;
  dueAtMs: number;
  groupUntilMs: number;
  givesUpAtMs: number;
};

/** Adds a delivery, to a message that waits or to one of its own; answers its id. One that is there stays as it is. */
export async function insertDelivery(trx: Database, row: DeliveryRow): Promise<number> {
  const { facts } = row;
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(
    `with known as (
       select id from deliveries where alert_id = :alertId and channel_id = :channelId
     ), joined as (
       update messages set targets = targets || :target::text
       where id = (
         select id from messages
         where :isGrouped and channel_id = :channelId and status = 'pending' and takes_alerts
           and language = :language and template_id is not distinct from :templateId::int
           and cardinality(targets) < ${mostAlerts}
         order by id limit 1
       ) and takes_alerts and not exists (select from known)
       returning id
     ), made as (
       insert into messages
         (key, channel_id, targets, language, template_id, status, created_at_ms, due_at_ms, gives_up_at_ms, takes_alerts)
       select :key, :channelId, array[:target::text], :language, :templateId::int, 'pending',
         :nowMs::bigint, :dueAtMs::bigint, :givesUpAtMs::bigint, :takesAlerts::boolean
       where not exists (select from known) and not exists (select from joined)
       returning id
     ), begun as (
       update channels set group_until_ms = :groupUntilMs
       where id = :channelId and group_until_ms <> :groupUntilMs and exists (select from made)
     ), added as (
       insert into deliveries
         (alert_id, message_id, channel_id, channel_type, channel_name, kind, target_type, target_id, target_name,
          incident_id, reminder, status, created_at_ms)
       select :alertId, message.id, :channelId, :channelType, :channelName, :kind, :targetType, :targetId, :targetName,
         :incidentId, :reminder, 'pending', :nowMs::bigint
       from (select id from joined union all select id from made) as message
       returning id
     )
     select id from added union all select id from known`,
    {
      alertId: row.alertId,
      channelId: row.channelId,
      channelType: row.channelType,
      channelName: row.channelName,
      key: row.key,
      isGrouped: row.isGrouped,
      takesAlerts: row.takesAlerts,
      language: row.language,
      templateId: row.templateId,
      nowMs: Math.round(row.nowMs),
      dueAtMs: Math.round(row.dueAtMs),
      groupUntilMs: Math.round(row.groupUntilMs),
      givesUpAtMs: Math.round(row.givesUpAtMs),
      target: `${facts.target.type}:${facts.target.id}`,
      kind: facts.kind,
      targetType: facts.target.type,
      targetId: facts.target.id,
      targetName: facts.target.name,
      incidentId: facts.incidentId,
      reminder: facts.reminder,
    },
  );
  const [added] = rows;
  if (added === undefined) throw new Error(`alert ${row.alertId} got no delivery`);
  return added.id;
}
