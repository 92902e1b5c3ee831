import type { ServerResponse } from "node:http";
import type { Context, Next, State } from "../context.ts";

/**
 * For documents. React sets styles through the CSSOM, which no policy restricts; what is left are style attributes
 * in SVG that charts write. No script and no style sheet but the files that the build made.
 */
export const documentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");
/** For everything that no browser should render. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

const features = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
];
const permissions = [...features, "midi", "payment", "usb"].map((feature) => `${feature}=()`).join(", ");

/** The customary security headers, which every answer carries. HSTS only where the public address is https. */
const commonHeaders = (publicUrl: string | null): Record<string, string> => ({
  "Content-Security-Policy": dataPolicy,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Permissions-Policy": permissions,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  ...(publicUrl?.startsWith("https:") === true ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
});

/**
 * Sets them on every answer, and the policy that `policy` gives on documents. They are set last: an answer that has set one
 * of them keeps its own.
 */
export function securityHeaders(publicUrl: string | null, policy: () => string) {
  const headers = Object.entries(commonHeaders(publicUrl));
  const upgrade = publicUrl?.startsWith("https:") === true ? "; upgrade-insecure-requests" : "";
  return async (ctx: Context, next: Next) => {
    ctx.state.commonHeaders = headers;
    await next();
    if (ctx.headerSent) return;
    if (isHtml(ctx.res.getHeader("content-type")) && !ctx.res.hasHeader("Content-Security-Policy"))
      ctx.res.setHeader("Content-Security-Policy", policy() + upgrade);
    setCommonHeaders(ctx);
  };
}

/**
 * Sets required headers that the response has not set itself, for code that begins a response before the layer above
 * does.
 */
export function setCommonHeaders({ res, state }: Context): void {
  setMissing(res, [["X-Request-Id", state.requestId], ...state.commonHeaders]);
}

/** Lets an answer go without some of them. */
export function leaveOut({ state }: Context, names: readonly string[]): void {
  state.commonHeaders = state.commonHeaders.filter(([name]) => !names.includes(name));
}

function setMissing(res: ServerResponse, headers: State["commonHeaders"]): void {
  for (const [name, value] of headers) {
    if (!res.hasHeader(name)) res.setHeader(name, value);
  }
}

const isHtml = (contentType: unknown) => typeof contentType === "string" && contentType.startsWith("text/html");
