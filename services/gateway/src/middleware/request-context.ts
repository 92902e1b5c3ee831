import type { Cidr } from "@sonde/kit/addresses";
import { callerOf } from "@sonde/kit/http/caller";
import { clientAddress } from "../client-address.ts";
import type { Context, Next } from "../context.ts";

/** Gives a request its id, its language and its client's address. */
export function requestContext(trustedProxies: readonly Cidr[]) {
  return (ctx: Context, next: Next) => {
    const { requestId, language } = callerOf(ctx.req);
    const address = clientAddress(ctx.req, trustedProxies);
    ctx.state = { requestId, language, address, session: null, route: "none", isStream: false, commonHeaders: [] };
    return next();
  };
}
