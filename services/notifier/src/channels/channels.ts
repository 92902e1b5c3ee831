import { AppError, invalid, type FieldFault } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { PlainConfig } from "@sonde/kit/sealed-config";
import type { ChannelInput, ChannelPatch, NotificationChannel } from "@sonde/proto/http/notifications/channels";
import type { Context } from "../context.ts";
import { applyConfig, shownConfig } from "./config.ts";
import {
  insertChannel,
  found,
  hastenMessages,
  lockChannel,
  refuseTooLarge,
  saveChannel,
  deleteChannel,
  type ChannelDefinition,
  type StoredChannel,
} from "./store.ts";

/** A new channel. @throws AppError invalid with the path of each fault; impossible: there are too many; too_large */
export async function createChannel(ctx: Context, input: ChannelInput): Promise<StoredChannel> {
  const definition = channelOf(ctx, input);
  const limits = { most: mostChannels, mostBytes: mostConfigBytes, nowMs: ctx.clock.now() };
  const channel = await orUnavailable(() => insertChannel(ctx.db, definition, limits));
  if (channel !== null) return channel;
  const params = { max: mostChannels };
  throw new AppError("impossible", "There are {max} channels already, delete one first", { params });
}

/** The channel that an input leads to; its configuration is checked here, by its type. @throws AppError invalid */
export function channelOf(ctx: Pick<Context, "guard" | "secrets">, input: ChannelInput): ChannelDefinition {
  const { name, type, enabled, config: given } = input;
  const { config, faults } = applyConfig(ctx, type, { given: given as PlainConfig, before: null });
  if (faults.length > 0) throw invalid(faults);
  return { name, type, enabled, config };
}

/**
 * Changes the fields of a channel that are present, also within `config`. Another configuration makes it healthy again.
 * @throws AppError not_found, too_large, invalid with the path of each fault
 */
export async function updateChannel(
  ctx: Context,
  { id, ...given }: ChannelPatch & { id: number },
): Promise<StoredChannel> {
  const channel = await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const nowMs = ctx.clock.now();
      const before = found(await lockChannel(trx, id));
      const definition = changed(ctx, before, given);
      // Waiting messages of a disabled channel fail now, not when they are due.
      if (!definition.enabled) await hastenMessages(trx, before.id, nowMs);
      const saved = await saveChannel(trx, before.id, definition, { isAnew: given.config !== undefined, nowMs });
      if (given.config !== undefined) await refuseTooLarge(trx, mostConfigBytes);
      return saved;
    }),
  );
  ctx.due();
  return channel;
}

function changed(ctx: Context, before: StoredChannel, { type, config: given, ...rest }: ChannelPatch) {
  const fixed: FieldFault[] =
    type === undefined || type === before.type
      ? []
      : [{ path: "type", message: "The type of a channel cannot be changed" }];
  const { config, faults } =
    given === undefined || fixed.length > 0
      ? { config: before.config, faults: [] }
      : applyConfig(ctx, before.type, { given: given as PlainConfig, before: before.config });
  if (fixed.length + faults.length > 0) throw invalid([...fixed, ...faults]);
  const { name = before.name, enabled = before.enabled } = rest;
  return { name, type: before.type, enabled, config };
}

/** Deletes a channel, also out of every setting; what waits for it fails. @throws AppError not_found */
export async function removeChannel(ctx: Context, { id }: { id: number }): Promise<void> {
  await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      found(await lockChannel(trx, id));
      await deleteChannel(trx, id);
      await hastenMessages(trx, id, ctx.clock.now());
    }),
  );
  ctx.due();
}

const instant = (ms: number) => new Date(ms).toISOString();

/** A channel as it answers: secrets masked. */
export function presentChannel(channel: StoredChannel): NotificationChannel {
  const { id, name, type, enabled, config, isHealthy, refusal, refusedAtMs, updatedAtMs } = channel;
  const { lastSettledAtMs: lastAtMs, lastSettledStatus: status } = channel;
  return {
    id,
    name,
    type,
    enabled,
    config: shownConfig(type, config),
    healthy: isHealthy,
    ...(refusal === null ? {} : { refusal: { at: instant(refusedAtMs ?? updatedAtMs), answer: refusal } }),
    ...(lastAtMs === null || status === null ? {} : { lastDelivery: { at: instant(lastAtMs), status } }),
    createdAt: instant(channel.createdAtMs),
    updatedAt: instant(updatedAtMs),
  };
}

/** The maximum number of channels: the sender has a slot for each (deliveries/sender.ts). */
export const mostChannels = 200;
/** All configurations together: a list of channels travels in one message of the bus (1 MiB). */
const mostConfigBytes = 640 * 1024;
