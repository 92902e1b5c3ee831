import { isLoopback } from "@sonde/kit/addresses";
import { isPlainOrigin } from "@sonde/proto/http/status/config";
import type { PageSummary } from "@sonde/proto/http/status/documents";
import type { Config } from "../config.ts";
import { documentPolicy } from "../middleware/security-headers.ts";

export const isHttps = ({ publicUrl }: Pick<Config, "publicUrl">): boolean => publicUrl?.startsWith("https:") === true;

type HeaderChange = { set: Headers; removed: string[] };
type Page = Pick<PageSummary, "logoUrl" | "embedOrigins" | "searchable" | "hasImages">;
export type Headers = Readonly<Record<string, string>>;

/** Shared caches may store a response briefly, and serve it for a day if no newer one is available. */
export const sharedCaching = "public, max-age=5, stale-while-revalidate=60, stale-if-error=86400";
export const noindex: Headers = { "X-Robots-Tag": "noindex" };
export const privateCaching = "private, no-store";
export const privateHeaders: Headers = { ...noindex, "Cache-Control": privateCaching };

/** An SVG image that is opened by itself must not run scripts. */
export const imagePolicy: Headers = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

/** If other sites may frame the page, X-Frame-Options is removed, because it does not support lists. */
export function htmlHeaders(page: Page, { isHttps, framed, hidden }: HtmlOptions): HeaderChange {
  const ancestors = framed ? page.embedOrigins.flatMap(originOf) : [];
  const images = policyWithLogo([page.logoUrl]);
  const policy = (page.hasImages ? images.replace("img-src", "img-src data:") : images).replace(
    "frame-ancestors 'none'",
    `frame-ancestors ${ancestors.join(" ") || "'none'"}`,
  );
  return {
    set: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy + (isHttps ? "; upgrade-insecure-requests" : ""),
      ...(hidden || !page.searchable ? noindex : {}),
    },
    removed: ancestors.length > 0 ? ["X-Frame-Options"] : [],
  };
}

/** Logos may come from other sites. */
export const policyWithLogo = (logoUrls: readonly (string | null)[]): string =>
  documentPolicy.replace("img-src 'self'", [...new Set(["img-src 'self'", ...logoUrls.flatMap(originOf)])].join(" "));

/** `framed`: other sites may frame it if the page allows that. `hidden`: never indexed by search engines. */
type HtmlOptions = { isHttps: boolean; framed: boolean; hidden: boolean };

/** Empty while only this machine reaches the gateway: any page in a local browser could read unpublished data. */
export const sharedHeaders = ({ host, publicUrl }: Pick<Config, "host" | "publicUrl">): Headers =>
  publicUrl === null && isLoopback(host)
    ? {}
    : { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" };

export const dataHeaders = (
  { searchable }: Pick<Page, "searchable">,
  config: Pick<Config, "host" | "publicUrl">,
): Headers => ({
  ...sharedHeaders(config),
  "Cache-Control": sharedCaching,
  ...(searchable ? {} : noindex),
});

/**
 * Omits hosts with a semicolon or comma, which would extend the policy, or a star, which would match every site; URL
 * accepts them.
 */
function originOf(url: string | null): string[] {
  if (url === null || !URL.canParse(url)) return [];
  const { origin } = new URL(url);
  return isPlainOrigin(origin) ? [origin] : [];
}
