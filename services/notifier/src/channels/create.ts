import { AppError, invalid } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { CreateChannelRequest } from "@sonde/proto/gen/notifications/v1/notifications";
import type { Context } from "../context.ts";
import { applyConfig } from "./config.ts";
import { readFields, readType } from "./fields.ts";
import { mostChannels, mostConfigBytes } from "./limits.ts";
import { insertChannel } from "./store.ts";
import type { ChannelDefinition, StoredChannel } from "./stored-channel.ts";

/** A new channel. @throws AppError invalid with the path of each fault; impossible: there are too many; too_large */
export async function createChannel(ctx: Context, request: CreateChannelRequest): Promise<StoredChannel> {
  const definition = readNewChannel(ctx, request);
  const limits = { most: mostChannels, mostBytes: mostConfigBytes, nowMs: ctx.clock.now() };
  const channel = await orUnavailable(() => insertChannel(ctx.db, definition, limits));
  if (channel !== null) return channel;
  const params = { max: mostChannels };
  throw new AppError("impossible", "There are {max} channels already, delete one first", { params });
}

/** The channel that an input leads to. @throws AppError invalid */
export function readNewChannel(
  ctx: Pick<Context, "guard" | "secrets">,
  request: CreateChannelRequest,
): ChannelDefinition {
  const type = readType(request.type);
  const {
    name = "",
    enabled = true,
    config: given = {},
  } = readFields({
    name: request.name,
    enabled: request.enabled,
    config: request.config,
  });
  const { config, faults } = applyConfig(ctx, type, { given, before: null });
  if (faults.length > 0) throw invalid(faults);
  return { name, type, enabled, config };
}
