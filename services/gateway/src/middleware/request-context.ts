import type { Cidr } from "@sonde/kit/addresses";
import { identify } from "@sonde/kit/http/caller";
import { clientAddress } from "../client-address.ts";
import type { Context, Next } from "../context.ts";

/** Gives a request its id, its language and its client's address. */
export function requestContext(trustedProxies: readonly Cidr[]) {
  return (ctx: Context, next: Next) => {
    const caller = identify(ctx.req, ctx.res);
    ctx.state = { ...caller, address: clientAddress(ctx.req, trustedProxies), session: null, route: "none" };
    return next();
  };
}
