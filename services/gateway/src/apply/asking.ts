import type { HandlerBase } from "../route.ts";

export type Asking = Pick<HandlerBase, "services" | "ask">;
/** Ids of what parts name: of monitors and channels by key, negative where they are to come, of agents by name. */
export type NamedIds = Record<"monitors" | "agents" | "channels", Record<string, number>>;
