import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import type { AnyChannel } from "./channel.ts";

// Loaded once, as this module is: no alert waits for its channel.
const channels = Object.fromEntries(
  await Promise.all(channelTypeNames.map(async (type) => [type, await loadChannel(type)] as const)),
) as Readonly<Record<ChannelTypeName, AnyChannel>>;

/** The sender of a channel type. It receives configurations of its own type alone. */
export const channelOf = (type: ChannelTypeName): AnyChannel => channels[type];

/**
 * Finds a type of channel by its name: what `types/<type>.ts` exports as `channel`.
 * @throws Error if there is none, which ends the start
 */
async function loadChannel(type: string, load = importType): Promise<AnyChannel> {
  const file = `services/notifier/src/channels/types/${type}.ts`;
  const { channel } = await load(type).catch((cause: unknown) => {
    throw new Error(`Channels of type ${type} cannot send: ${file} does not load`, { cause });
  });
  if (!isChannel(channel)) throw new Error(`Channels of type ${type} cannot send: ${file} exports no \`channel\``);
  return channel;
}

function importType(type: string): Promise<{ channel?: unknown }> {
  return import(`./types/${type}.ts`) as Promise<{ channel?: unknown }>;
}

function isChannel(value: unknown): value is AnyChannel {
  const { compose, send } = (value ?? {}) as Partial<AnyChannel>;
  return typeof compose === "function" && typeof send === "function";
}
