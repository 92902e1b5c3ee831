import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { AddressFamily } from "@sonde/kit/egress/resolver";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { createSecureContext, type SecureContext } from "node:tls";
import { routeTo } from "../link.ts";
import type { ProbeFailure, ProbeContext } from "../probe.ts";
import { type Proxy, proxyOf, type ProxyWay } from "./proxy.ts";
import { type Destination, destinationOf, type HopRequest, originOf } from "./request.ts";

/** Non-default connection settings of a check: proxy, client certificate, token, address family. */
export interface Connection {
  /** The only origin that receives the client certificate. */
  origin: string;
  /** `context` is created on first use. */
  certificate: { cert: string; key: string; context?: SecureContext } | undefined;
  proxy: Proxy | undefined;
  tokenRequest: HopRequest | undefined;
  family: AddressFamily | undefined;
  /** Applies only to `origin`, as does `h2c`. */
  servername: string | undefined;
  h2c: boolean;
}

type Connected = { connection: Connection | undefined; passwords: readonly string[] };
// Most checks need no special connection.
const straight: Connected = { connection: undefined, passwords: [] };

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

/** Builds a client credentials request (RFC 6749 §4.4). */
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
    // Both parts are form-encoded first (§2.3.1).
    const login = [clientId, clientSecret].map((text) => new URLSearchParams({ a: text }).toString().slice(2));
    headers.push({ name: "Authorization", value: `Basic ${Buffer.from(login.join(":")).toString("base64")}` });
  } else {
    form.set("client_id", clientId);
    form.set("client_secret", clientSecret);
  }
  const destination = destinationOf(new URL(tokenUrl));
  return { destination, method: "POST", headers, body: Buffer.from(form.toString()) };
}

/** Like `routeTo`; with a proxy, returns the proxy's addresses. Never rejects. */
export async function routeOver(
  { proxy, family }: Connection,
  host: string,
  ctx: ProbeContext,
  timings: Timings & { dns: number },
): Promise<{ addresses: Addresses; proxy?: ProxyWay } | ProbeFailure> {
  if (proxy === undefined) return routeTo(host, ctx, timings, family);
  const target = await routeTo(host, ctx, timings);
  const isFound = "addresses" in target;
  // The proxy may know names that this runner cannot resolve.
  const isRefused = "kind" in target && target.kind === "blocked";
  if (!isFound && (!proxy.resolves || isRefused || ctx.signal.aborted)) return target;
  const own = await routeTo(proxy.host, ctx, timings, family);
  if (!("addresses" in own)) {
    return "trouble" in own ? own : { ...own, message: `The proxy cannot be used: ${own.message}` };
  }
  return { ...own, proxy: { proxy, host: isFound && !proxy.resolves ? target.addresses[0] : host } };
}

export function identityFor(
  { certificate, origin }: Connection,
  destination: Destination,
): SecureContext | undefined | ProbeFailure {
  if (certificate === undefined || !destination.secure || originOf(destination) !== origin) return undefined;
  try {
    return (certificate.context ??= createSecureContext({ cert: certificate.cert, key: certificate.key }));
  } catch {
    // It parsed when it was saved, but this runner may have another version of OpenSSL.
    return { kind: "tls", message: "The client certificate cannot be used" };
  }
}
