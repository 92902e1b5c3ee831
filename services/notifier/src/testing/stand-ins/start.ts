import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import type { StandIn, StandInOptions } from "./stand-in.ts";

export type { StandIn } from "./stand-in.ts";

const folder = new URL("./", import.meta.url);
/** Each type's file is in this folder or one of its subfolders. */
const files = new Map((await readdir(folder, { recursive: true })).map((path) => [basename(path, ".ts"), path]));

/** Starts the local provider of a channel type, which its file exports as `start`. */
export async function startStandIn<Type extends ChannelTypeName>(
  type: Type,
  options?: StandInOptions,
): Promise<StandIn<Type>> {
  const module = (await import(new URL(files.get(type) ?? `${type}.ts`, folder).href)) as {
    start(options?: StandInOptions): Promise<StandIn<Type>>;
  };
  return module.start(options);
}
