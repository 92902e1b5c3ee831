import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { SealedConfig } from "@sonde/kit/sealed-config";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { DeliveryStatus } from "@sonde/proto/http/notifications/deliveries";

// PostgreSQL's largest integer; a greater id is not found rather than a fault.
const maxId = 2_147_483_647;

export async function allChannels(db: Database): Promise<StoredChannel[]> {
  return db<StoredChannel>("channels").orderBy("id");
}

/** @throws AppError not_found */
export async function findChannel(db: Database, id: number): Promise<StoredChannel> {
  if (id > maxId) throw missing();
  return found(await db<StoredChannel>("channels").where({ id }).first());
}

/** The channel, or null if there is none, locked until the transaction ends, also against additions. */
export async function lockChannel(trx: Database, id: number): Promise<StoredChannel | null> {
  if (id > maxId) return null;
  return (await trx<StoredChannel>("channels").where({ id }).forUpdate().first()) ?? null;
}

const missing = () => new AppError("not_found", "Notification channel does not exist");

/** @throws AppError not_found */
export function found(channel: StoredChannel | undefined | null): StoredChannel {
  if (channel === undefined || channel === null) throw missing();
  return channel;
}

const columnsOf = ({ name, type, enabled, config }: ChannelDefinition, nowMs: number) => ({
  name,
  type,
  enabled,
  config: JSON.stringify(config),
  updatedAtMs: nowMs,
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
      .insert({ ...columnsOf(definition, nowMs), createdAtMs: nowMs })
      .returning<StoredChannel[]>("*");
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

const healthy = { isHealthy: true, isDead: false, refusal: null, refusedAtMs: null, triedAtMs: null };

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
    .returning<StoredChannel[]>("*");
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
    .where({ channelId, status: "pending" })
    .where("due_at_ms", ">", nowMs)
    .update({ dueAtMs: nowMs });
}

/** Remembers that an unhealthy channel is tried now. */
export async function markTried(trx: Database, id: number, nowMs: number): Promise<void> {
  await trx("channels").where({ id }).update({ triedAtMs: nowMs });
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
  const channel = db("channels").where({ id, isHealthy: !isHealthy });
  if (isHealthy) await channel.whereRaw("last_settled_status is distinct from 'failed'").update(healthy);
  else await channel.update({ isHealthy: false, refusal: answer, refusedAtMs: Math.round(atMs) });
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
