import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { oneOf } from "@sonde/kit/one-of";
import type { SealedConfig } from "@sonde/kit/sealed-config";
import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { type DeliveryStatus, deliveryStatuses } from "@sonde/proto/http/notifications/deliveries";

// PostgreSQL's largest integer; a greater id is not found rather than a fault.
const maxId = 2_147_483_647;

export async function allChannels(db: Database): Promise<StoredChannel[]> {
  const rows = await db<ChannelRow>("channels").orderBy("id");
  return rows.map(readChannel);
}

/** @throws AppError not_found */
export async function findChannel(db: Database, id: number): Promise<StoredChannel> {
  if (id > maxId) throw missing();
  return found(await db<ChannelRow>("channels").where({ id }).first());
}

/** The channel, or null if there is none, locked until the transaction ends, also against additions. */
export async function lockChannel(trx: Database, id: number): Promise<StoredChannel | null> {
  if (id > maxId) return null;
  const row = await trx<ChannelRow>("channels").where({ id }).forUpdate().first();
  return row === undefined ? null : readChannel(row);
}

const missing = () => new AppError("not_found", "Notification channel does not exist");

/** @throws AppError not_found */
export function found(row: ChannelRow | StoredChannel | undefined | null): StoredChannel {
  if (row === undefined || row === null) throw missing();
  return "isHealthy" in row ? row : readChannel(row);
}

const columnsOf = ({ name, type, enabled, config }: ChannelDefinition, nowMs: number) => ({
  name,
  type,
  enabled,
  config: JSON.stringify(config),
  updated_at_ms: nowMs,
});

/** The new channel, or null if the maximum is reached. */
export async function insertChannel(
  db: Database,
  definition: ChannelDefinition,
  { most, mostBytes, nowMs }: { most: number; mostBytes: number; nowMs: number },
): Promise<StoredChannel | null> {
  return db.transaction(async (trx) => {
    // Two at once would both find room for one. Those who send only change rows, which this lets them.
    await trx.raw("select pg_advisory_xact_lock(hashtextextended(current_schema() || ' channels', 0))");
    const [counted] = await trx("channels").count<{ count: number }[]>("* as count");
    if ((counted?.count ?? 0) >= most) return null;
    const [row] = await trx("channels")
      .insert({ ...columnsOf(definition, nowMs), created_at_ms: nowMs })
      .returning<ChannelRow[]>("*");
    await refuseTooLarge(trx, mostBytes);
    return found(row);
  });
}

/** @throws AppError too_large where the configurations of all channels are larger than they may be together */
export async function refuseTooLarge(trx: Database, mostBytes: number): Promise<void> {
  const { rows } = await trx.raw<{ rows: { bytes: number }[] }>(
    "select coalesce(sum(octet_length(config::text)), 0)::int as bytes from channels",
  );
  if ((rows[0]?.bytes ?? 0) <= mostBytes) return;
  const params = { limit: `${mostBytes / 1024} KiB` };
  throw new AppError("too_large", "The channels' settings are too large together (at most {limit})", { params });
}

const healthy = { is_healthy: true, is_dead: false, refusal: null, refused_at_ms: null, tried_at_ms: null };

/** `isAnew`: its recipient changed, so its health is reset. */
export async function saveChannel(
  trx: Database,
  id: number,
  definition: ChannelDefinition,
  { isAnew, nowMs }: { isAnew: boolean; nowMs: number },
): Promise<StoredChannel> {
  const [row] = await trx("channels")
    .where({ id })
    .update({ ...columnsOf(definition, nowMs), ...(isAnew ? healthy : {}) })
    .returning<ChannelRow[]>("*");
  return found(row);
}

/** Deletes a channel and takes it out of every setting. */
export async function deleteChannel(trx: Database, id: number): Promise<void> {
  await trx("channels").where({ id }).delete();
  await trx.raw(
    `update settings set value = jsonb_set(value, '{channels}', coalesce(
       (select jsonb_agg(channel) from jsonb_array_elements(value->'channels') as channel where channel <> to_jsonb(:id::int)),
       '[]'
     ))
     where value->'channels' @> to_jsonb(:id::int)`,
    { id },
  );
}

/** Makes a channel's waiting messages due now, to fail: nothing can be sent to it any more. */
export async function hastenMessages(trx: Database, channelId: number, nowMs: number): Promise<void> {
  await trx("messages")
    .where({ channel_id: channelId, status: "pending" })
    .where("due_at_ms", ">", nowMs)
    .update({ due_at_ms: nowMs });
}

/** Remembers that an unhealthy channel is tried now. */
export async function markTried(trx: Database, id: number, nowMs: number): Promise<void> {
  await trx("channels").where({ id }).update({ tried_at_ms: nowMs });
}

/**
 * Applies the outcome of another service's mail to the channel's health. A channel whose last alert failed stays
 * unhealthy until an alert is delivered: a mail to another recipient does not show that the channel's own can be
 * reached. An unhealthy channel keeps its reason and its time, by which it is retried.
 */
export async function judgeByMail(
  db: Database,
  id: number,
  { isHealthy, answer, atMs }: { isHealthy: boolean; answer: string; atMs: number },
): Promise<void> {
  const channel = db("channels").where({ id, is_healthy: !isHealthy });
  if (isHealthy) await channel.whereRaw("last_settled_status is distinct from 'failed'").update(healthy);
  else await channel.update({ is_healthy: false, refusal: answer, refused_at_ms: Math.round(atMs) });
}

/** What a person sets; secrets sealed. */
export type ChannelDefinition = { name: string; type: ChannelTypeName; enabled: boolean; config: SealedConfig };

/** A channel as it is stored. */
export type StoredChannel = ChannelDefinition & {
  id: number;
  isHealthy: boolean;
  refusal: string | null;
  refusedAtMs: number | null;
  /** When it was last tried although it is unhealthy. */
  triedAtMs: number | null;
  isDead: boolean;
  lastSettledAtMs: number | null;
  lastSettledStatus: DeliveryStatus | null;
  createdAtMs: number;
  updatedAtMs: number;
};

/** A row of `channels` as PostgreSQL gives it. */
export type ChannelRow = {
  id: number;
  name: string;
  type: string;
  enabled: boolean;
  config: SealedConfig;
  is_healthy: boolean;
  refusal: string | null;
  refused_at_ms: number | null;
  tried_at_ms: number | null;
  is_dead: boolean;
  last_settled_at_ms: number | null;
  last_settled_status: string | null;
  created_at_ms: number;
  updated_at_ms: number;
};

const readType = oneOf(channelTypeNames, "type of a channel");
const readStatus = oneOf(deliveryStatuses, "status of a delivery");

export const readChannel = (row: ChannelRow): StoredChannel => ({
  id: row.id,
  name: row.name,
  type: readType(row.type),
  enabled: row.enabled,
  config: row.config,
  isHealthy: row.is_healthy,
  refusal: row.refusal,
  refusedAtMs: row.refused_at_ms,
  triedAtMs: row.tried_at_ms,
  isDead: row.is_dead,
  lastSettledAtMs: row.last_settled_at_ms,
  lastSettledStatus: row.last_settled_status === null ? null : readStatus(row.last_settled_status),
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
});
