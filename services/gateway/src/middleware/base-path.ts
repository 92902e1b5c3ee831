import type { IncomingMessage } from "node:http";
import type { Config } from "../config.ts";
import type { Context, Next } from "../context.ts";

/** Path of PUBLIC_URL without a trailing slash; empty at the root of a host. */
export const basePathOf = ({ publicUrl }: Pick<Config, "publicUrl">): string =>
  publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");

/** Removes the base path, so that proxies may keep or strip it. Call it before anything reads the URL. */
export function stripBase(request: IncomingMessage, base: string): void {
  request.url = withoutBase(request.url, base);
}

export function withoutBase(url = "", base: string): string {
  if (base === "" || !url.includes(base)) return url;
  const [origin = ""] = /^(?:https?:\/\/[^/?#]*)?/i.exec(url) ?? [];
  const path = url.slice(origin.length);
  const rest = path.slice(base.length);
  if (!path.startsWith(base) || !/^(?:$|[/?])/.test(rest)) return url;
  return `${origin}${rest.startsWith("/") ? "" : "/"}${rest}`;
}

/** Adds the base path to redirects within Sonde. */
export function redirectWithin(base: string) {
  return async (ctx: Context, next: Next) => {
    await next();
    const to = ctx.response.get("Location");
    if (base !== "" && ctx.state.hostedPage === null && /^\/(?!\/)/.test(to)) ctx.set("Location", base + to);
  };
}

/** Adds the base path to the addresses in a document. Texts of users contain no unescaped quotes. */
export const withBase = (document: string, base: string): string =>
  base === ""
    ? document
    : document
        .replace(/(\s(?:href|src|action)=")\/(?!\/)/g, `$1${base}/`)
        .replace("<head>", `<head><meta name="base-path" content="${base}" />`);

/** Links of the documentation also occur in its scripts and data. */
export const docsWithBase = (text: string, base: string): string =>
  withBase(text.replace(/(["'(`])\/docs\//g, `$1/\0docs/`), base)
    .replaceAll(`${base}/\0`, "/\0")
    .replaceAll("/\0", `${base}/`);
