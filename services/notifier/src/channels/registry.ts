import { type ChannelTypeName, allChannelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import type { AnyChannel } from "./channel.ts";

// Loaded at startup, so no alert waits for an import.
const channels = new Map(
  await Promise.all(allChannelTypeNames.map(async (type) => [type, await loadChannel(type)] as const)),
);

/** Returns the sender of a channel type, which only receives configurations of that type. */
export const channelOf = (type: ChannelTypeName): AnyChannel => channels.get(type)!;

/** @throws Error if the type's file does not export a matching `channel`, which fails startup */
async function loadChannel(type: ChannelTypeName): Promise<AnyChannel> {
  try {
    const { channel } = await fileOf(type);
    if (channel?.type === type) return channel;
    throw new Error("the file exports no matching `channel`");
  } catch (cause) {
    throw new Error(`channel type ${type} failed to load from services/notifier/src/channels/types`, { cause });
  }
}

/** The file is in `types/` or one of its folders. The image bundler follows imports of this form. */
function fileOf(type: ChannelTypeName): Promise<{ channel?: AnyChannel }> {
  return Promise.any<{ channel?: AnyChannel }>([
    import(`./types/${type}.ts`),
    import(`./types/chat/${type}.ts`),
    import(`./types/push/${type}.ts`),
  ]);
}
