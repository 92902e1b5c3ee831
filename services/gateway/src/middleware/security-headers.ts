import type { Context, Next } from "../context.ts";

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

/** Sets them on every answer before it is made, so that it may replace or remove each; documents get `policy`. */
export function securityHeaders(publicUrl: string | null, policy: () => string) {
  const headers = Object.entries(commonHeaders(publicUrl));
  const upgrade = publicUrl?.startsWith("https:") === true ? "; upgrade-insecure-requests" : "";
  return async ({ res, state }: Context, next: Next) => {
    res.setHeader("X-Request-Id", state.requestId);
    for (const [name, value] of headers) res.setHeader(name, value);
    await next();
    if (res.headersSent || !isHtml(res.getHeader("Content-Type"))) return;
    if (res.getHeader("Content-Security-Policy") === dataPolicy)
      res.setHeader("Content-Security-Policy", policy() + upgrade);
  };
}

const isHtml = (contentType: unknown) => typeof contentType === "string" && contentType.startsWith("text/html");
