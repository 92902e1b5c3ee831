import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { hostAndPort } from "@sonde/proto/http/monitors/checks/fields";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { hostOf } from "@sonde/kit/egress/url";
import { request as openRequest } from "@sonde/kit/http/node-http";
import { type Link, type LinkContext, openLink } from "../link.ts";
import type { ProbeFailure } from "../probe.ts";
import { createDialer, type DialOptions, dialPlain, openTls } from "../tls/dial.ts";
import { countInterim } from "./interim.ts";
import { connectThroughSocks } from "./socks.ts";
import type { Destination } from "./request.ts";

export interface Proxy {
  isSocks: boolean;
  secure: boolean;
  /** True if the proxy receives names; otherwise it receives addresses that passed the egress guard. */
  resolves: boolean;
  host: string;
  port: number;
  login: { username: string; password: string } | undefined;
}

export interface ProxyWay {
  proxy: Proxy;
  host: string;
}

const usualPorts: Record<string, number> = { "http:": 80, "https:": 443 };
const socksPort = 1080;

export function proxyOf({ url: address, username, password = "" }: NonNullable<CheckOf<"http">["proxy"]>): Proxy {
  const url = new URL(address);
  return {
    isSocks: url.protocol.startsWith("socks"),
    secure: url.protocol === "https:",
    resolves: url.protocol !== "socks5:",
    host: hostOf(url),
    port: Number(url.port) || (usualPorts[url.protocol] ?? socksPort),
    login: username === undefined ? undefined : { username, password },
  };
}

/** HTTP/1.1 without TLS is forwarded by an HTTP proxy; everything else needs a tunnel. */
const isForwarded = ({ isSocks }: Proxy, { secure }: Destination, protocol = "http/1.1") =>
  !isSocks && !secure && protocol === "http/1.1";

/** Overrides for a request that a proxy forwards, which needs an absolute target (RFC 9112 §3.2.2). */
export const forwardedBy = ({ proxy }: ProxyWay, destination: Destination, headers: string[]) =>
  isForwarded(proxy, destination)
    ? {
        path: `http://${destination.authority}${destination.path}`,
        headers: [...headers, ...loginHeaders(proxy)],
      }
    : {};

function loginHeaders({ login }: Proxy): string[] {
  if (login === undefined) return [];
  const text = Buffer.from(`${login.username}:${login.password}`).toString("base64");
  return ["Proxy-Authorization", `Basic ${text}`];
}

/** The proxy's certificate must be valid: it receives a password and the requests to targets. */
const ownTls: DialOptions = { verifyTls: true, onCertificate: () => undefined };

/**
 * Like `openLink`, through a proxy whose `addresses` passed the guard. Calls `begin` after the connection to the target
 * is open, including TLS if the target uses it. Everything before TLS counts as connecting.
 */
export async function openOverProxy<Found extends { statusCode: number }>(
  way: ProxyWay,
  destination: Destination,
  addresses: Addresses,
  ctx: LinkContext,
  timings: Timings,
  options: DialOptions,
  begin: (link: Link<Found>) => void,
  protocol = "http/1.1",
): Promise<Found | ProbeFailure> {
  const { proxy } = way;
  let isConnected = false;
  const open = () =>
    proxy.secure
      ? openTls(proxy.host, ownTls, createDialer(proxy.host, proxy.port, addresses, ctx.timeoutMs))
      : dialPlain(proxy.host, proxy.port, addresses, ctx.timeoutMs);
  const peer = { addresses, port: proxy.port };
  const found = await openLink<Found>(peer, ctx, timings, "connect", open, (link) => {
    const onConnected = (failure?: ProbeFailure) => {
      isConnected = true;
      if (failure !== undefined) {
        link.settle(failure);
        return void link.socket.destroy();
      }
      if (!destination.secure) {
        link.lap("firstByte");
        return begin(link);
      }
      link.lap("tls");
      const secured = openTls(options.servername ?? destination.host, options, {
        socket: link.socket,
        ALPNProtocols: [protocol],
      });
      link.adopt(secured);
      secured.once("secureConnect", () => {
        link.lap("firstByte");
        begin(link);
      });
    };
    link.socket.once(proxy.secure ? "secureConnect" : "connect", () => {
      if (isForwarded(proxy, destination, protocol)) onConnected();
      else if (proxy.isSocks) connectThroughSocks(link.socket, { ...way, port: destination.port }, onConnected);
      else openTunnel(link, way, destination.port, onConnected);
    });
  });
  if ("statusCode" in found)
    return found.statusCode === 407 && isForwarded(proxy, destination, protocol) ? refused(proxy) : found;
  return isConnected || "trouble" in found
    ? found
    : { ...found, message: `The proxy cannot be used: ${found.message}` };
}

const refused = ({ login }: Proxy): ProbeFailure => ({
  kind: "connect",
  message: login === undefined ? "The proxy requires a login" : "The proxy refused the login",
});

/** Opens a tunnel (RFC 9110 §9.3.6). */
function openTunnel<Found>(
  link: Link<Found>,
  { proxy, host }: ProxyWay,
  port: number,
  done: (failure?: ProbeFailure) => void,
): void {
  const authority = hostAndPort(host, port);
  const request = openRequest({
    createConnection: () => link.socket,
    method: "CONNECT",
    path: authority,
    headers: ["Host", authority, "User-Agent", "Sonde", ...loginHeaders(proxy)],
  });
  request.on("information", countInterim(done));
  request.once("connect", ({ statusCode = 0 }, socket, head) => {
    if (statusCode >= 200 && statusCode < 300) {
      // An HTTP/2 target sends its settings first.
      if (head.length > 0) socket.unshift(head);
      return done();
    }
    // Some proxies respond to a wrong login with 401.
    if (statusCode === 407 || statusCode === 401) return done(refused(proxy));
    const answer = `The proxy returned status ${statusCode}`;
    done({ kind: "connect", message: statusCode === 403 ? "The proxy does not allow this connection" : answer });
  });
  request.on("error", link.fail);
  request.end();
}
