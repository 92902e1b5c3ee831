import { AppError, invalid } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { PlainConfig } from "@sonde/kit/sealed-config";
import type { ChannelInput } from "@sonde/proto/http/notifications/channels";
import type { Context } from "../context.ts";
import { applyConfig } from "./config.ts";
import { mostChannels, mostConfigBytes } from "./limits.ts";
import { insertChannel } from "./store.ts";
import type { ChannelDefinition, StoredChannel } from "./stored-channel.ts";

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
