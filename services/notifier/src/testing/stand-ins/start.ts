import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { StandIn, StandInOptions } from "./stand-in.ts";

export type { StandIn } from "./stand-in.ts";

/** Starts the provider of a type of channel on this machine: what `<type>.ts` beside this file exports as `start`. */
export async function startStandIn<Type extends ChannelTypeName>(
  type: Type,
  options?: StandInOptions,
): Promise<StandIn<Type>> {
  const module = (await import(`../stand-ins/${type}.ts`)) as {
    start(options?: StandInOptions): Promise<StandIn<Type>>;
  };
  return module.start(options);
}
