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
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");
/**
 * For the app's own documents. The editor of the public page shows the logo and the page as visitors will see it, from
 * whichever address was typed. Nothing else in the app draws an image of another site: markdown is drawn without images.
 */
const appPolicy = documentPolicy.replace("img-src 'self' data:", "img-src 'self' data: https: http:");
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
export const commonHeaders = (publicUrl: string | null): Record<string, string> => ({
  "Content-Security-Policy": dataPolicy,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "same-origin",
  "Permissions-Policy": permissions,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  ...(publicUrl?.startsWith("https:") === true ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
});

/** Sets them, and the policy of documents on documents. */
export function securityHeaders(publicUrl: string | null) {
  const headers = Object.entries(commonHeaders(publicUrl));
  const isHttps = publicUrl?.startsWith("https:") === true;
  const document = appPolicy + (isHttps ? "; upgrade-insecure-requests" : "");
  return async (ctx: Context, next: Next) => {
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    await next();
    if (ctx.headerSent || !isHtml(ctx.res.getHeader("content-type"))) return;
    // A document of the public page has set its own.
    const isOwn = ctx.res.getHeader("content-security-policy") !== dataPolicy;
    if (!isOwn) ctx.set("Content-Security-Policy", document);
  };
}

const isHtml = (contentType: unknown) => typeof contentType === "string" && contentType.startsWith("text/html");
