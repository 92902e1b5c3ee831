import { isLoopback } from "@sonde/kit/addresses";
import { isPlainOrigin } from "@sonde/proto/http/status/config";
import type { PageSummary } from "@sonde/proto/http/status/documents";
import type { Config } from "../config.ts";
import { documentPolicy } from "../middleware/security-headers.ts";

export const isHttps = ({ publicUrl }: Pick<Config, "publicUrl">): boolean => publicUrl?.startsWith("https:") === true;

/** `removed`: headers of all other responses that this one leaves out. */
type HeaderChange = { set: Headers; removed: string[] };
type Page = Pick<PageSummary, "logoUrl" | "embedOrigins" | "searchable">;
export type Headers = Readonly<Record<string, string>>;

/** Shared caches may store it for a moment, and serve it for a day while no newer one can be made. */
export const sharedCaching = "public, max-age=5, stale-while-revalidate=60, stale-if-error=86400";
export const noindex: Headers = { "X-Robots-Tag": "noindex" };
/** What is for some alone is kept nowhere. */
export const privateCaching = "private, no-store";
export const privateHeaders: Headers = { ...noindex, "Cache-Control": privateCaching };

/**
 * Headers of a document of the public page, beside those of every answer. The sites that the configuration names may
 * show it in a frame: X-Frame-Options, which knows no list, is left out then.
 */
export function htmlHeaders(page: Page, { isHttps, framed, hidden }: HtmlOptions): HeaderChange {
  const ancestors = framed ? page.embedOrigins.flatMap(originOf) : [];
  const policy = policyWithLogo([page.logoUrl]).replace(
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

/** The policy of documents that show pages' logos, which may come from other sites. */
export const policyWithLogo = (logoUrls: readonly (string | null)[]): string =>
  documentPolicy.replace("img-src 'self'", [...new Set(["img-src 'self'", ...logoUrls.flatMap(originOf)])].join(" "));

/** `framed`: other sites may frame it where the page allows that; `hidden`: never for search engines. */
type HtmlOptions = { isHttps: boolean; framed: boolean; hidden: boolean };

/**
 * Lets pages of other sites read a response. Empty while only this machine reaches the gateway and PUBLIC_URL is not
 * set: any page open in a local browser could read what was never published.
 */
export const sharedHeaders = ({ host, publicUrl }: Pick<Config, "host" | "publicUrl">): Headers =>
  publicUrl === null && isLoopback(host)
    ? {}
    : { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" };

/** Headers of what programs and other sites read: JSON, the feed, badges. */
export const dataHeaders = (
  { searchable }: Pick<Page, "searchable">,
  config: Pick<Config, "host" | "publicUrl">,
): Headers => ({
  ...sharedHeaders(config),
  "Cache-Control": sharedCaching,
  ...(searchable ? {} : noindex),
});

/**
 * The origin as a policy names it. URL lets a host have a semicolon or comma, which would add to the policy, and a star,
 * which would name every site: such an origin is left out.
 */
function originOf(url: string | null): string[] {
  if (url === null || !URL.canParse(url)) return [];
  const { origin } = new URL(url);
  return isPlainOrigin(origin) ? [origin] : [];
}
