import { record } from "@sonde/domain/audit";
import { invalid, type FieldFault, AppError } from "@sonde/kit/errors";
import { fieldChanges, type FieldChange } from "@sonde/domain/managed/apply";
import { ownersOf, refuseOwned } from "@sonde/domain/managed/table";
import { orUnavailable, type Database } from "@sonde/kit/postgres/database";
import { changedSecrets, type PlainConfig, type SealedConfig } from "@sonde/domain/sealed-config";
import type { AuditAction } from "@sonde/proto/http/audit";
import type { ManagedBy } from "@sonde/proto/http/config/managed";
import type {
  ChannelInput,
  ChannelPatch,
  ChannelState,
  NotificationChannel,
} from "@sonde/proto/http/notifications/channels";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { DeliveryStatus } from "@sonde/proto/http/notifications/deliveries";
import type { Context } from "../context.ts";
import { applyConfig, configWithDefaults, shownConfig } from "./config.ts";

/** @throws AppError `invalid` with the path of each error, `impossible` if there are too many, or `too_large` */
export async function createChannel(ctx: Context, input: ChannelInput): Promise<StoredChannel> {
  const definition = toChannelDefinition(ctx, input);
  const channel = await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const made = await insertChannel(trx, definition, ctx.clock.now());
      await recordChannel(trx, "create", null, made);
      return made;
    }),
  );
  ctx.committed();
  return channel;
}

async function recordChannel(
  trx: Database,
  action: AuditAction,
  before: StoredChannel | null,
  after: StoredChannel | null,
): Promise<void> {
  const { id, name } = (after ?? before)!;
  await record(trx, "notifier", {
    action,
    target: { type: "channel", id, name },
    before: before && definitionOf(before),
    after: after && definitionOf(after),
    secrets: changedSecrets(before?.config, after?.config, "config"),
  });
}

const definitionOf = ({ name, type, enabled, config }: ChannelDefinition) => ({
  name,
  type,
  enabled,
  config: shownConfig(type, config),
});

/** Validates an input by its channel type. @throws AppError `invalid` */
export function toChannelDefinition(ctx: Pick<Context, "guard" | "secrets">, input: ChannelInput): ChannelDefinition {
  const { name, type, enabled, config: given } = input;
  const { config, faults } = applyConfig(ctx, type, { given: given as PlainConfig, before: null });
  if (faults.length > 0) throw invalid(faults);
  return { name, type, enabled, config };
}

/**
 * Changes the given fields of a channel, also within `config`. A changed configuration resets the channel's health.
 * @param isOwner a configuration source changes what it owns
 * @throws AppError `not_found`, `too_large`, `invalid` with the path of each error, or `conflict` if a source owns a
 * field
 */
export async function updateChannel(
  ctx: Context,
  { id, ...given }: ChannelPatch & { id: number },
  isOwner = false,
): Promise<StoredChannel> {
  const channel = await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const nowMs = ctx.clock.now();
      const before = requireChannel(await lockChannel(trx, id));
      const definition = changed(ctx, before, given);
      const owned = { kind: "channel", id, name: before.name } as const;
      if (!isOwner) await refuseOwned(trx, owned, () => channelChanges(before, definition).map(({ path }) => path));
      // Waiting messages of a disabled channel fail now instead of when they are due.
      if (!definition.enabled) await makeMessagesDue(trx, before.id, nowMs);
      const after = await saveChannel(trx, before.id, definition, {
        isReconfigured: given.config !== undefined,
        nowMs,
      });
      await recordChannel(trx, "update", before, after);
      return after;
    }),
  );
  ctx.committed();
  ctx.due();
  return channel;
}

/** Returns the fields in which two definitions differ, named as in documents. */
export function channelChanges(before: ChannelDefinition, after: ChannelDefinition): FieldChange[] {
  const stored = ({ name, type, enabled, config }: ChannelDefinition) => ({
    ...configWithDefaults(type, config),
    name,
    enabled,
  });
  const shown = ({ type, config, ...rest }: ChannelDefinition) => ({ ...shownConfig(type, config), ...rest });
  return fieldChanges({ before: stored(before), after: stored(after) }, { before: shown(before), after: shown(after) });
}

/** Applies a patch to a definition. @throws AppError `invalid` */
export function changed(
  ctx: Pick<Context, "guard" | "secrets">,
  before: ChannelDefinition,
  { type, config: given, ...rest }: ChannelPatch,
) {
  const fixed: FieldFault[] =
    type === undefined || type === before.type ? [] : [{ path: "type", message: "A channel's type cannot be changed" }];
  const { config, faults } =
    given === undefined || fixed.length > 0
      ? { config: before.config, faults: [] }
      : applyConfig(ctx, before.type, { given: given as PlainConfig, before: before.config });
  if (fixed.length + faults.length > 0) throw invalid([...fixed, ...faults]);
  const { name = before.name, enabled = before.enabled } = rest;
  return { name, type: before.type, enabled, config };
}

/** Removes it from all settings; waiting messages fail. @throws AppError `not_found`, `conflict` if owned */
export async function removeChannel(ctx: Context, { id }: { id: number }, isOwner = false): Promise<void> {
  await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const before = requireChannel(await lockChannel(trx, id));
      if (!isOwner) await refuseOwned(trx, { kind: "channel", id, name: before.name }, null);
      await deleteChannel(trx, id);
      await makeMessagesDue(trx, id, ctx.clock.now());
      await recordChannel(trx, "delete", before, null);
    }),
  );
  ctx.committed();
  ctx.due();
}

const instant = (ms: number) => new Date(ms).toISOString();

export async function listChannels(db: Database): Promise<NotificationChannel[]> {
  const [channels, waiting] = await Promise.all([allChannels(db), waitingByChannel(db)]);
  const owners = await ownersOf(
    db,
    "channel",
    channels.map(({ id }) => id),
  );
  return channels.map((channel) => presentChannel(channel, waiting.get(channel.id), owners.get(channel.id)));
}

type Waiting = NonNullable<NotificationChannel["waiting"]>;

async function waitingByChannel(db: Database): Promise<Map<number, Waiting>> {
  type Row = { channelId: number; messages: number; answer: string | null; endedAtMs: number | null };
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select waiting.*, newest.answer, newest.ended_at_ms
     from (select channel_id, count(*) as messages from messages
       where status = 'pending' and mail_kind is null group by 1) as waiting
     left join lateral (
       select answer, ended_at_ms from messages join attempts on message_id = messages.id
       where channel_id = waiting.channel_id and status = 'pending' and mail_kind is null and ended_at_ms is not null
       order by ended_at_ms desc limit 1
     ) as newest on true`,
  );
  return new Map(
    rows.map(({ channelId, messages, answer, endedAtMs: atMs }) => {
      const failure = atMs === null ? undefined : { at: instant(atMs), answer: answer ?? "" };
      return [channelId, { messages, failure }];
    }),
  );
}

/** Returns the channel's state since its configuration last changed. */
function stateOf(channel: StoredChannel, waiting: Waiting | undefined): ChannelState {
  const { isHealthy, lastSettledAtMs, configuredAtMs } = channel;
  const last = (lastSettledAtMs ?? 0) >= configuredAtMs ? channel.lastSettledStatus : null;
  const failedAtMs = Date.parse(waiting?.failure?.at ?? instant(0));
  const isFailing = failedAtMs > Math.max(configuredAtMs, last === null ? 0 : (lastSettledAtMs ?? 0));
  if (!isHealthy || last === "failed" || isFailing) return "failing";
  return last === "delivered" ? "works" : "untried";
}

export function presentChannel(channel: StoredChannel, waiting?: Waiting, managed?: ManagedBy): NotificationChannel {
  const state = stateOf(channel, waiting);
  const { id, name, type, enabled, config, refusal, refusedAtMs, updatedAtMs } = channel;
  const { lastSettledAtMs: lastAtMs, lastSettledStatus: status } = channel;
  return {
    id,
    name,
    type,
    enabled,
    config: shownConfig(type, config),
    healthy: state !== "failing",
    state,
    waiting,
    managed,
    ...(refusal === null ? {} : { refusal: { at: instant(refusedAtMs ?? updatedAtMs), answer: refusal } }),
    ...(lastAtMs === null || status === null ? {} : { lastDelivery: { at: instant(lastAtMs), status } }),
    ...(channel.provenAtMs == null ? {} : { lastProvenAt: instant(channel.provenAtMs) }),
    createdAt: instant(channel.createdAtMs),
    updatedAt: instant(updatedAtMs),
  };
}

// PostgreSQL's largest integer. Greater ids are not found instead of causing a query error.
const maxId = 2_147_483_647;

/** Returns the channels of the team. Those of a user are the user's contacts (on-call/contacts/contacts.ts). */
export async function allChannels(db: Database): Promise<StoredChannel[]> {
  return db<StoredChannel>("channels").where({ userId: null }).orderBy("id");
}

/** @param userId owner of the channel; absent for those of the team @throws AppError `not_found` */
export async function findChannel(db: Database, id: number, userId: number | null = null): Promise<StoredChannel> {
  if (id > maxId) throw missing();
  const channel = requireChannel(await db<StoredChannel>("channels").where({ id, userId }).first());
  return withSender(db, channel);
}

/** Locks a team channel until the transaction ends, also against new deliveries. Returns `null` if there is none. */
export async function lockChannel(trx: Database, id: number): Promise<StoredChannel | null> {
  if (id > maxId) return null;
  return (await trx<StoredChannel>("channels").where({ id, userId: null }).forUpdate().first()) ?? null;
}

/** Locks a channel, of the team or of a user, with what it needs to send. */
export async function lockToSend(trx: Database, id: number): Promise<StoredChannel | null> {
  const channel = await trx<StoredChannel>("channels").where({ id }).forUpdate().first();
  return channel === undefined ? null : withSender(trx, channel);
}

/** Adds the account of the channel that sends for a user's one. Without it, the user's channel is disabled. */
async function withSender(db: Database, channel: StoredChannel): Promise<StoredChannel> {
  if (channel.throughId === null) return channel;
  const sender = await db<StoredChannel>("channels").where({ id: channel.throughId }).first();
  const enabled = channel.enabled && sender?.enabled === true;
  return { ...channel, enabled, config: { ...sender?.config, ...channel.config } };
}

const missing = () => new AppError("not_found", "Notification channel does not exist");

/** @throws AppError `not_found` */
export function requireChannel(channel: StoredChannel | undefined | null): StoredChannel {
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

export const maxChannels = 200;
/** For all configurations together, since a list of channels must fit into one bus message (1 MiB). */
const maxConfigBytes = 640 * 1024;

/** @throws AppError `impossible` if there are too many, or `too_large` */
export async function insertChannel(
  trx: Database,
  definition: ChannelDefinition,
  nowMs: number,
): Promise<StoredChannel> {
  // Serialises concurrent additions, which would both find room for one more. Senders, which only update rows, are not
  // blocked.
  await trx.raw("select pg_advisory_xact_lock(hashtextextended(current_schema() || ' channels', 0))");
  const [counted] = await trx("channels").where({ userId: null }).count<{ count: number }[]>("* as count");
  if ((counted?.count ?? 0) >= maxChannels) {
    const params = { max: maxChannels };
    throw new AppError("impossible", "The limit of {max} channels has been reached: delete one first", { params });
  }
  const [row] = await trx("channels")
    .insert({ ...columnsOf(definition, nowMs), createdAtMs: nowMs })
    .returning<StoredChannel[]>("*");
  await refuseTooLarge(trx);
  return requireChannel(row);
}

/** @throws AppError `too_large` if all configurations together exceed the limit */
async function refuseTooLarge(trx: Database): Promise<void> {
  const { rows } = await trx.raw<{ rows: { bytes: number }[] }>(
    "select coalesce(sum(octet_length(config::text)), 0)::int as bytes from channels where user_id is null",
  );
  if ((rows[0]?.bytes ?? 0) <= maxConfigBytes) return;
  const params = { limit: `${maxConfigBytes / 1024} KiB` };
  throw new AppError("too_large", "The combined settings of all channels are too large (maximum {limit})", { params });
}

export const healthy = { isHealthy: true, isDead: false, refusal: null, refusedAtMs: null, triedAtMs: null };

/** `isReconfigured`: the configuration was written, so health is reset. @throws AppError `too_large` */
async function saveChannel(
  trx: Database,
  id: number,
  definition: ChannelDefinition,
  { isReconfigured, nowMs }: { isReconfigured: boolean; nowMs: number },
): Promise<StoredChannel> {
  const [row] = await trx("channels")
    .where({ id })
    .update({ ...columnsOf(definition, nowMs), ...(isReconfigured ? { ...healthy, configuredAtMs: nowMs } : {}) })
    .returning<StoredChannel[]>("*");
  if (isReconfigured) await refuseTooLarge(trx);
  return requireChannel(row);
}

export async function deleteChannel(trx: Database, id: number): Promise<void> {
  await trx("channels").where({ id }).delete();
  const without = (list: string) => `(
    select coalesce(jsonb_agg(channel), '[]') from jsonb_array_elements(${list}) as channel where channel <> to_jsonb(:id::int)
  )`;
  await trx.raw(
    `update settings set value = jsonb_set(value, '{channels}', ${without("value->'channels'")})
     where value->'channels' @> to_jsonb(:id::int)`,
    { id },
  );
  // A rule without channels is removed, so that its targets notify those of the next rule or of all targets.
  await trx.raw(
    `update settings set value = jsonb_set(value, '{rules}', (
       select coalesce(jsonb_agg(jsonb_set(rule, '{channels}', ${without("rule->'channels'")}) order by place), '[]')
       from jsonb_array_elements(value->'rules') with ordinality as rules (rule, place)
       where rule->'channels' <> jsonb_build_array(:id::int)
     ))
     where exists (
       select from jsonb_array_elements(value->'rules') as rule where rule->'channels' @> to_jsonb(:id::int)
     )`,
    { id },
  );
}

async function makeMessagesDue(trx: Database, channelId: number, nowMs: number): Promise<void> {
  await trx("messages")
    .where({ channelId, status: "pending", mailKind: null })
    .where("due_at_ms", ">", nowMs)
    .update({ dueAtMs: nowMs });
}

export async function markTried(trx: Database, id: number, nowMs: number): Promise<void> {
  await trx("channels").where({ id }).update({ triedAtMs: nowMs });
}

/**
 * Applies the outcome of a subscriber mail to the channel's health. A channel whose last alert failed stays unhealthy
 * until an alert is delivered: a mail to another recipient does not prove that the channel's own recipients are
 * reachable. An unhealthy channel keeps its first reason and time, which schedule its retries.
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

export type ChannelDefinition = { name: string; type: ChannelTypeName; enabled: boolean; config: SealedConfig };

export type StoredChannel = ChannelDefinition & {
  id: number;
  isHealthy: boolean;
  refusal: string | null;
  refusedAtMs: number | null;
  triedAtMs: number | null;
  isDead: boolean;
  lastSettledAtMs: number | null;
  lastSettledStatus: DeliveryStatus | null;
  /** When a drill last reached it, or somebody acknowledged through a message of it. */
  provenAtMs: number | null;
  /** When its configuration last changed; 0 if never. */
  configuredAtMs: number;
  createdAtMs: number;
  updatedAtMs: number;
  /** Owner; `null` for channels of the team. */
  userId: number | null;
  /** The team channel whose account sends for this one. */
  throughId: number | null;
};
