import { type Cidr, withoutMapping } from "@sonde/kit/addresses";
import { callerOf, clientAddress, isTrusted } from "@sonde/kit/http/caller";
import type { Log } from "@sonde/kit/service/log";
import { histogram } from "@sonde/kit/telemetry/metrics";
import { type Spans, traceFields } from "@sonde/kit/telemetry/spans";
import type { Context, Next } from "../context.ts";

export function requestContext(trustedProxies: readonly Cidr[], base: string) {
  return (ctx: Context, next: Next) => {
    const { requestId, language } = callerOf(ctx.req);
    const address = clientAddress(ctx.req, trustedProxies);
    const before = { session: null, hostedPage: null, route: "none", isStream: false };
    ctx.state = { requestId, language, address, base, ...before };
    return next();
  };
}

const duration = histogram(
  "sonde_http_request_seconds",
  "Duration of HTTP requests, by route template",
  [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  ["method", "route", "status"],
);
const known = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);
const namedMethod = (method: string) => (known.has(method) ? method : "other");

export function observeRequest(
  { method, route, status }: { method: string; route: string; status: number },
  durationMs: number,
): void {
  duration.observe({ method: namedMethod(method), route, status: String(status) }, durationMs / 1000);
}

/** Addresses of inbound monitors and of phone calls are secrets. */
const loggedPath = (path: string) => path.replace(/^(\/api\/(?:inbound|calls)\/)[^/]+/, "$1…");

/** Never logs a token, a query or a body. */
export function observe(log: Log) {
  return (ctx: Context, next: Next) => {
    const startedAt = performance.now();
    // The response closes outside its span.
    const trace = traceFields();
    ctx.res.once("close", () => {
      const { requestId, route, session, address, isStream } = ctx.state;
      const status = ctx.res.statusCode;
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const method = namedMethod(ctx.method);
      if (!isStream) observeRequest({ method, route, status }, durationMs);
      const level = route === "site" || route === "status" ? "debug" : "info";
      if (!log.isLevelEnabled(level)) return;
      const finished = ctx.res.writableFinished;
      log[level](
        {
          ...trace,
          requestId,
          method,
          path: loggedPath(ctx.path),
          status,
          durationMs,
          address,
          userId: session?.userId,
          finished,
        },
        "request",
      );
    });
    return next();
  };
}

/** Accepts `traceparent` only from trusted proxies: other clients could add spans to foreign traces. */
export function traced(spans: Spans, trustedProxies: readonly Cidr[]) {
  return (ctx: Context, next: Next) => {
    const method = namedMethod(ctx.method);
    const { traceparent } = ctx.req.headers;
    const isKnown =
      typeof traceparent === "string" && isTrusted(withoutMapping(ctx.req.socket.remoteAddress ?? ""), trustedProxies);
    const start = { name: method, kind: "server", attributes: { "http.request.method": method } } as const;
    return spans.run({ ...start, traceparent: isKnown ? traceparent : undefined }, async (span) => {
      await next();
      const { route } = ctx.state;
      const status = ctx.res.statusCode;
      span.rename(`${method} ${route}`);
      span.set({ "http.route": route, "http.response.status_code": status });
      if (status >= 500) span.refuse(status === 503 ? "unavailable" : "internal");
    });
  };
}
