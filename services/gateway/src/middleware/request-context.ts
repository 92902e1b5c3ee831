import { languageOf } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import type { BlockList } from "node:net";
import { clientAddress } from "../client-address.ts";
import type { Context, Next } from "../context.ts";

const sane = /^[\w.:-]{8,128}$/;

/** Gives a request its id (its caller's, where that is sane), its language and its client's address. */
export function requestContext(trustedProxies: BlockList) {
  const trusted = trustedProxies.rules.length > 0 ? trustedProxies : null;
  return (ctx: Context, next: Next) => {
    const asked = ctx.req.headers["x-request-id"];
    const requestId = typeof asked === "string" && sane.test(asked) ? asked : randomUUID();
    const language = languageOf(ctx.req.headers["accept-language"]);
    ctx.state = { requestId, language, address: clientAddress(ctx.req, trusted), session: null, route: "none" };
    ctx.res.setHeader("X-Request-Id", requestId);
    return next();
  };
}
