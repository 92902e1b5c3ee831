import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import type { AnyChannel } from "./channel.ts";

const folder = new URL("./types/", import.meta.url);
/** Each type's file, which is in that folder or in one of its family there. */
const files = new Map((await readdir(folder, { recursive: true })).map((path) => [basename(path, ".ts"), path]));

// Loaded once, as this module is: no alert waits for its channel.
const channels = new Map(
  await Promise.all(channelTypeNames.map(async (type) => [type, await loadChannel(type)] as const)),
);

/** The sender of a channel type. It receives configurations of its own type alone. */
export const channelOf = (type: ChannelTypeName): AnyChannel => channels.get(type)!;

/** What the type's file exports as `channel`. @throws Error if there is none, which ends the start */
async function loadChannel(type: ChannelTypeName): Promise<AnyChannel> {
  try {
    const { href } = new URL(files.get(type) ?? `${type}.ts`, folder);
    const { channel } = (await import(href)) as { channel?: AnyChannel };
    if (channel?.type === type) return channel;
    throw new Error("it exports no such `channel`");
  } catch (cause) {
    throw new Error(`Channels of type ${type} cannot send: services/notifier/src/channels/types/${type}.ts`, { cause });
  }
}
