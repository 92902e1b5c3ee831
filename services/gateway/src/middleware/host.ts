import { AppError } from "@sonde/kit/errors";
import { isLoopback } from "@sonde/kit/addresses";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Config } from "../config.ts";
import type { Context, Next } from "../context.ts";
import { memoize } from "@sonde/kit/cache";

/** RFC 9110, 7.2: a host and an optional port, without user information, path or spaces. */
const hostAndPort = /^(\[[\dA-Fa-f:.]+\]|[^\s/?#@\\:[\]]+)(?::\d{0,5})?$/;
const shownLength = 100;

/**
 * Rejects foreign host names when the gateway listens on loopback or PUBLIC_URL is set, against DNS rebinding: another
 * site could make its own name resolve to this machine, and read Sonde's responses in a visitor's browser. A missing,
 * repeated or malformed Host header is always rejected (RFC 9112, 3.2).
 * @throws AppError `misdirected` (421); `invalid` (400)
 */
export function checkHost(config: Names, ofHost: PageOfHost) {
  const resolveHost = createHostResolver(config, ofHost);
  const resolvePageHost = createHostResolver({ host: "", publicUrl: null }, ofHost);
  return (ctx: Context, next: Next) => {
    // Proxies call this by an internal name.
    ctx.state.hostedPage = (ctx.path === hostCheckPath ? resolvePageHost : resolveHost)(ctx.req);
    return next();
  };
}

/** Proxies ask here whether to obtain a certificate. Reveals no more than visiting the host. */
export const hostCheckPath = "/api/hosts/ask";

type Names = Pick<Config, "host" | "publicUrl">;
export type PageOfHost = (name: string) => string | null;

/** Returns a page's slug, or `null` for Sonde itself, which takes precedence. @throws AppError as `checkHost` does */
export function createHostResolver(
  { host, publicUrl }: Names,
  ofHost: PageOfHost,
): (request: IncomingMessage) => string | null {
  const isChecked = isLoopback(host) || publicUrl !== null;
  const publicName = publicUrl === null ? null : nameOf(new URL(publicUrl).host);
  return (request) => {
    const given = hostsOf(request);
    if (given === null) throw notUnderstood();
    let page: string | null = null;
    for (const one of given) {
      const name = nameOf(one);
      if (name === null) throw notUnderstood();
      if (isOwn(name) || name === publicName) continue;
      const named = ofHost(name);
      if (named === null && isChecked) throw misdirected(one);
      page ??= named;
    }
    return page;
  };
}

/** Returns the hosts of header and absolute URL; `null` if the header is missing or repeated. */
function hostsOf({ url = "", rawHeaders, httpVersionMinor, httpVersionMajor }: IncomingMessage): string[] | null {
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() === "host") hosts.push(rawHeaders[at + 1]!);
  }
  const mayLackHost = httpVersionMajor === 1 && httpVersionMinor === 0;
  if (hosts.length > 1 || (hosts.length === 0 && !mayLackHost)) return null;
  const target = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  return target === undefined ? hosts : [...hosts, target];
}

/** As browsers normalise it, without port and trailing dot; `null` if invalid. */
const nameOf = memoize((host: string): string | null => {
  const name = hostAndPort.exec(host)?.[1];
  if (name === undefined || !URL.canParse(`http://${name}`)) return null;
  return new URL(`http://${name}`).hostname.replace(/\.$/, "");
});

const isOwn = (name: string) =>
  name === "localhost" || name.endsWith(".localhost") || isIP(name.replace(/^\[|\]$/g, "")) !== 0;

/** Also true without an Origin header. */
export function isOwnOrigin({ origin, host }: IncomingHttpHeaders, publicUrl: string | null): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  // Some proxies add the scheme's default port to the Host header.
  const own = [`${protocol}//${host}`, publicUrl ?? ""];
  return own.some((one) => URL.canParse(one) && new URL(one).host === from);
}

const plainHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

export function isTls(
  { publicUrl, trustedProxies }: Pick<Config, "publicUrl" | "trustedProxies">,
  { req }: Pick<Context, "req">,
): boolean {
  if (publicUrl !== null) return publicUrl.startsWith("https:");
  return trustedProxies.length > 0 && req.headers["x-forwarded-proto"] === "https";
}

/** Base URL for agents and jobs: PUBLIC_URL, or the one that the current browser uses. */
export function ownOrigin(config: Pick<Config, "publicUrl" | "trustedProxies">, ctx: Pick<Context, "req">): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const { host = "" } = ctx.req.headers;
  // It becomes part of commands that users paste into a shell.
  return `${isTls(config, ctx) ? "https" : "http"}://${plainHost.test(host) ? host : "localhost"}`;
}

/** Passkeys need PUBLIC_URL or localhost. */
export function passkeyOrigin(config: Pick<Config, "publicUrl" | "trustedProxies">, ctx: Pick<Context, "req">) {
  const origin = ownOrigin(config, ctx);
  const isLocal = URL.canParse(origin) && new URL(origin).hostname === "localhost";
  return config.publicUrl !== null || isLocal ? origin : undefined;
}

export const loginFrom = (config: Pick<Config, "publicUrl" | "trustedProxies">, ctx: Context) => ({
  address: ctx.state.address,
  client: ctx.get("User-Agent") || undefined,
  origin: passkeyOrigin(config, ctx),
});

const notUnderstood = () => new AppError("invalid", "The request is malformed");

const misdirected = (host: string) =>
  new AppError(
    "misdirected",
    "Sonde does not accept requests for the host name {host}. Open it at localhost or its IP address, or set PUBLIC_URL to the address you want to use.",
    { params: { host: host.slice(0, shownLength) } },
  );
