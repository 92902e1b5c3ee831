import type { HandlerBase } from "../route.ts";

export type CallContext = Pick<HandlerBase, "services" | "ask">;
/** Ids by key or name, negative for objects still to be created. `outside` has objects of other documents and users. */
export type NamedIds = Record<"monitors" | "agents" | "channels" | "policies" | "users", Record<string, number>> & {
  outside: Record<"monitor" | "channel" | "template" | "schedule" | "policy", Record<string, number>>;
};
