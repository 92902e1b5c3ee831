import { identify } from "@sonde/kit/http/caller";
import type { BlockList } from "node:net";
import { clientAddress } from "../client-address.ts";
import type { Context, Next } from "../context.ts";

/** Gives a request its id, its language and its client's address. */
export function requestContext(trustedProxies: BlockList) {
  const trusted = trustedProxies.rules.length > 0 ? trustedProxies : null;
  return (ctx: Context, next: Next) => {
    const caller = identify(ctx.req, ctx.res);
    ctx.state = { ...caller, address: clientAddress(ctx.req, trusted), session: null, route: "none" };
    return next();
  };
}
