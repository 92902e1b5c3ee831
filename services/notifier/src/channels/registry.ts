import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import type { AnyChannel } from "./channel.ts";

// Loaded once, as this module is: no alert waits for its channel.
const channels = new Map(
  await Promise.all(channelTypeNames.map(async (type) => [type, await loadChannel(type)] as const)),
);

/** The sender of a channel type. It receives configurations of its own type alone. */
export const channelOf = (type: ChannelTypeName): AnyChannel => channels.get(type)!;

/** What the type's file exports as `channel`. @throws Error if there is none, which ends the start */
async function loadChannel(type: ChannelTypeName): Promise<AnyChannel> {
  try {
    const { channel } = await fileOf(type);
    if (channel?.type === type) return channel;
    throw new Error("it exports no such `channel`");
  } catch (cause) {
    throw new Error(`Channels of type ${type} cannot send: services/notifier/src/channels/types/${type}.ts`, { cause });
  }
}

/** The type's file, which is in `types/` or in one of its folders. The bundler of images follows imports like these. */
function fileOf(type: ChannelTypeName): Promise<{ channel?: AnyChannel }> {
  return Promise.any<{ channel?: AnyChannel }>([
    import(`./types/${type}.ts`),
    import(`./types/chat/${type}.ts`),
    import(`./types/push/${type}.ts`),
  ]);
}
