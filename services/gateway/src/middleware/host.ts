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
 * Refuses requests under foreign host names while the gateway listens on loopback or PUBLIC_URL is set. A page of
 * another site can make its own name resolve to this machine (DNS rebinding), and the visitor's browser would then let
 * that page read Sonde's answers; the browser still sends the page's own name in Host. `localhost`, names below it,
 * address literals and PUBLIC_URL's host are accepted, with any port. A missing, doubled or malformed Host header is
 * refused everywhere (RFC 9112, 3.2).
 * @throws AppError `misdirected` (421); `invalid` (400)
 */
export function checkHost(config: Names, ofHost: PageOfHost) {
  const addressee = addresseeOf(config, ofHost);
  const isAsked = addresseeOf({ host: "", publicUrl: null }, ofHost);
  return (ctx: Context, next: Next) => {
    // Proxies ask by a name of the network that they share with the gateway.
    ctx.state.hostedPage = (ctx.path === hostsAskPath ? isAsked : addressee)(ctx.req);
    return next();
  };
}

/** What a proxy asks whether a host is to have a certificate; its answer says no more than a visit of that host. */
export const hostsAskPath = "/api/hosts/ask";

type Names = Pick<Config, "host" | "publicUrl">;
/** The page that has a host for itself, by its slug. */
export type PageOfHost = (name: string) => string | null;

/**
 * Whom the host of a request names: a page, by its slug, or Sonde itself (null), which comes first.
 * @throws AppError as `checkHost` does
 */
export function addresseeOf(
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

/** The hosts that a request names: its Host header and the one of an absolute URL; null: none, or several. */
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

/** The host name as browsers write it, without port and final dot; null where it is none. */
const nameOf = memoize((host: string): string | null => {
  const name = hostAndPort.exec(host)?.[1];
  if (name === undefined || !URL.canParse(`http://${name}`)) return null;
  return new URL(`http://${name}`).hostname.replace(/\.$/, "");
});

const isOwn = (name: string) =>
  name === "localhost" || name.endsWith(".localhost") || isIP(name.replace(/^\[|\]$/g, "")) !== 0;

/** Whether a request comes from a page of this host or of PUBLIC_URL, or names no origin, as programs do. */
export function isOwnOrigin({ origin, host }: IncomingHttpHeaders, publicUrl: string | null): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  // Some proxies add the port of the scheme to the Host header.
  const own = [`${protocol}//${host}`, publicUrl ?? ""];
  return own.some((one) => URL.canParse(one) && new URL(one).host === from);
}

const plainHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Whether a browser came by TLS: as PUBLIC_URL has it, else as a trusted proxy reports. */
export function isTls(
  { publicUrl, trustedProxies }: Pick<Config, "publicUrl" | "trustedProxies">,
  { req }: Pick<Context, "req">,
): boolean {
  if (publicUrl !== null) return publicUrl.startsWith("https:");
  return trustedProxies.length > 0 && req.headers["x-forwarded-proto"] === "https";
}

/** The address at which agents and jobs reach this installation: as configured, else the one that the asker's own browser used. */
export function ownOrigin(config: Pick<Config, "publicUrl" | "trustedProxies">, ctx: Pick<Context, "req">): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const { host = "" } = ctx.req.headers;
  // It is part of commands that users paste into a shell.
  return `${isTls(config, ctx) ? "https" : "http"}://${plainHost.test(host) ? host : "localhost"}`;
}

/** The address that passkeys are bound to: PUBLIC_URL, or that of the own browser where it is localhost; else none. */
export function passkeyOrigin(config: Pick<Config, "publicUrl" | "trustedProxies">, ctx: Pick<Context, "req">) {
  const origin = ownOrigin(config, ctx);
  const isLocal = URL.canParse(origin) && new URL(origin).hostname === "localhost";
  return config.publicUrl !== null || isLocal ? origin : undefined;
}

/** What auth is to know of where a login comes from. */
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
