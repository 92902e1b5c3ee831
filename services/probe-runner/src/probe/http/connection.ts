import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { AddressFamily } from "@sonde/kit/egress/resolver";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { createSecureContext, type SecureContext } from "node:tls";
import { routeTo } from "../link.ts";
import type { Fault, ProbeContext } from "../probe.ts";
import { type Proxy, proxyOf, type ProxyWay } from "./proxy.ts";
import { type Destination, destinationOf, type HopRequest, originOf } from "./request.ts";

/** How requests of a check reach their servers, and who they come from, where that is not the usual. */
export interface Connection {
  /** The origin that the client certificate is shown to. */
  origin: string;
  /** A client certificate and its key; `context` once it was used. */
  certificate: { cert: string; key: string; context?: SecureContext } | undefined;
  proxy: Proxy | undefined;
  /** What is sent for a token. */
  tokenRequest: HopRequest | undefined;
  family: AddressFamily | undefined;
  /** For the check's own origin, as the next. */
  servername: string | undefined;
  h2c: boolean;
}

type Connected = { connection: Connection | undefined; passwords: readonly string[] };
// Most checks are of this kind.
const straight: Connected = { connection: undefined, passwords: [] };

/** The connection of a check, and its secrets beside headers. */
export function connectionOf(check: CheckOf<"http">, destination: Destination): Connected {
  const { proxy, clientCertificate, oauth, ipFamily, servername, h2c } = check;
  if ((proxy ?? clientCertificate ?? oauth ?? ipFamily ?? servername ?? h2c) === undefined) return straight;
  return {
    connection: {
      origin: originOf(destination),
      certificate: clientCertificate && { ...clientCertificate },
      proxy: proxy && proxyOf(proxy),
      tokenRequest: oauth && tokenRequestOf(oauth),
      family: ipFamily && (ipFamily === "ipv4" ? 4 : 6),
      servername: servername && (canonicalHost(servername) ?? servername),
      h2c: h2c === true,
    },
    passwords: [proxy?.password, oauth?.clientSecret].filter((text) => text !== undefined),
  };
}

/** Client credentials (RFC 6749 §4.4). */
function tokenRequestOf(oauth: NonNullable<CheckOf<"http">["oauth"]>): HopRequest {
  const { tokenUrl, clientId, clientSecret, scope, audience, authentication } = oauth;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scope !== undefined) form.set("scope", scope);
  if (audience !== undefined) form.set("audience", audience);
  const headers: Header[] = [
    { name: "Content-Type", value: "application/x-www-form-urlencoded" },
    { name: "Accept", value: "application/json" },
  ];
  if (authentication === "basic") {
    // Both are encoded as in a form before (§2.3.1).
    const login = [clientId, clientSecret].map((text) => new URLSearchParams({ a: text }).toString().slice(2));
    headers.push({ name: "Authorization", value: `Basic ${Buffer.from(login.join(":")).toString("base64")}` });
  } else {
    form.set("client_id", clientId);
    form.set("client_secret", clientSecret);
  }
  const destination = destinationOf(new URL(tokenUrl));
  return { destination, method: "POST", headers, body: Buffer.from(form.toString()) };
}

/** As `routeTo`; with a proxy the addresses are those of the proxy. Never rejects. */
export async function routeOver(
  { proxy, family }: Connection,
  host: string,
  ctx: ProbeContext,
  timings: Timings & { dns: number },
): Promise<{ addresses: Addresses; proxy?: ProxyWay } | Fault> {
  if (proxy === undefined) return routeTo(host, ctx, timings, family);
  const target = await routeTo(host, ctx, timings);
  const isFound = "addresses" in target;
  // A proxy may resolve names that are not known here.
  const isRefused = "kind" in target && target.kind === "blocked";
  if (!isFound && (!proxy.resolves || isRefused || ctx.signal.aborted)) return target;
  const own = await routeTo(proxy.host, ctx, timings, family);
  if (!("addresses" in own)) {
    return "trouble" in own ? own : { ...own, message: `The proxy cannot be used: ${own.message}` };
  }
  return { ...own, proxy: { proxy, host: isFound && !proxy.resolves ? target.addresses[0] : host } };
}

/** The client certificate for a destination; undefined where it is not to be shown. */
export function identityFor(
  { certificate, origin }: Connection,
  destination: Destination,
): SecureContext | undefined | Fault {
  if (certificate === undefined || !destination.secure || originOf(destination) !== origin) return undefined;
  try {
    return (certificate.context ??= createSecureContext({ cert: certificate.cert, key: certificate.key }));
  } catch {
    // It was read when it was saved; this runner's OpenSSL is another.
    return { kind: "tls", message: "The client certificate cannot be used" };
  }
}
