import type { HandlerBase } from "../route.ts";

export type Asking = Pick<HandlerBase, "services" | "ask">;
/**
 * Ids of what parts name: of monitors and channels by key, negative where they are to come, of agents by name; of
 * `outside`, what other documents and people made.
 */
export type NamedIds = Record<"monitors" | "agents" | "channels", Record<string, number>> & {
  outside: Record<"monitor" | "channel" | "template", Record<string, number>>;
};
