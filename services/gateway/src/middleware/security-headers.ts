import type { Context, Next } from "../context.ts";

/** 'unsafe-inline' is for style attributes in the charts' SVG. React uses the CSSOM, which CSP does not restrict. */
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

/** Set before the response is created: handlers may replace or remove them. */
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
