import type { Cidr } from "@sonde/kit/addresses";
import type { Spans } from "@sonde/kit/telemetry/spans";
import { comesFrom } from "../client-address.ts";
import type { Context, Next } from "../context.ts";
import { known } from "./observe.ts";

/**
 * A span around each request, named by its route's template. A caller's `traceparent` counts only from a trusted proxy:
 * other clients could add spans to foreign traces.
 */
export function traced(spans: Spans, trustedProxies: readonly Cidr[]) {
  return (ctx: Context, next: Next) => {
    const method = known.has(ctx.method) ? ctx.method : "other";
    const { traceparent } = ctx.req.headers;
    const isTrusted = typeof traceparent === "string" && comesFrom(ctx.req, trustedProxies);
    const start = { name: method, kind: "server", attributes: { "http.request.method": method } } as const;
    return spans.run({ ...start, traceparent: isTrusted ? traceparent : undefined }, async (span) => {
      await next();
      const { route } = ctx.state;
      const status = ctx.res.statusCode;
      span.rename(`${method} ${route}`);
      span.set({ "http.route": route, "http.response.status_code": status });
      if (status >= 500) span.refuse(status === 503 ? "unavailable" : "internal");
    });
  };
}
