import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { request as openRequest } from "@sonde/kit/http/node-http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Link, type LinkContext, openLink } from "../link.ts";
import type { Sighting } from "../evidence.ts";
import { emptyDigest } from "../traces.ts";
import type { CheckMemory } from "../memory.ts";
import type { ProbeFailure } from "../probe.ts";
import { dial, type DialOptions } from "../tls/dial.ts";
import { readBody, type BodyUse } from "./body.ts";
import { acceptedCodings } from "./codings.ts";
import { countInterim } from "./interim.ts";
import { forwardedBy, openOverProxy, type ProxyWay } from "./proxy.ts";
import type { HopRequest } from "./request.ts";

/** A complete response. `text` is empty unless an assertion needs the body. */
export interface TargetResponse {
  statusCode: number;
  headers: IncomingHttpHeaders;
  text: string;
  isCut?: boolean;
}

export interface ExchangeOptions extends DialOptions {
  /** The proxy to use; the addresses passed along are then the proxy's. */
  proxy?: ProxyWay | undefined;
  /** Filled while the response arrives, so that a failure midway has evidence. */
  seen: Sighting;
  /** This check's share of body memory; unbounded if absent. */
  memory?: CheckMemory | undefined;
  /** Use HTTP/2 with prior knowledge on connections without TLS (RFC 9113 §3.3). */
  h2c?: boolean | undefined;
  bodyUse(statusCode: number, headers: IncomingHttpHeaders): BodyUse;
}

export const cannotSend: ProbeFailure = {
  kind: "protocol",
  message: "The request contains a character that HTTP does not allow",
};
const maxHeaderBytes = 65_536;

/** Uses HTTP/1.1 over a fresh connection. Adds each phase to `timings`, including a failed one. Never rejects. */
export function exchange(
  hop: HopRequest,
  addresses: Addresses,
  ctx: LinkContext,
  timings: Timings,
  options: ExchangeOptions,
): Promise<TargetResponse | ProbeFailure> {
  const { destination } = hop;
  if (options.proxy !== undefined) {
    const begin = (link: Link<TargetResponse>) => sendOver(link, hop, options);
    return openOverProxy(options.proxy, destination, addresses, ctx, timings, options, begin);
  }
  const peer = { addresses, port: destination.port };
  const second = destination.secure ? "tls" : "firstByte";
  const open = () => dial(destination, addresses, ctx.timeoutMs, options);
  return openLink<TargetResponse>(peer, ctx, timings, second, open, (link) => {
    if (destination.secure) link.socket.once("secureConnect", () => link.lap("firstByte"));
    sendOver(link, hop, options);
  });
}

function sendOver(link: Link<TargetResponse>, hop: HopRequest, options: ExchangeOptions): void {
  const { socket, lap, settle, fail } = link;
  const onResponse = (response: IncomingMessage) => {
    lap("body");
    const { headers, statusCode = 0, httpVersion, statusMessage } = response;
    options.seen.head = { statusCode, headers, httpVersion, statusMessage };
    const bodyUse = options.bodyUse(statusCode, headers);
    const done = (found: { text: string; isCut?: boolean } | ProbeFailure) => {
      settle("text" in found ? { statusCode, headers, text: found.text, isCut: found.isCut === true } : found);
      if (!response.complete) socket.destroy();
    };
    response.on("error", fail);
    if (bodyUse === "nothing") done({ text: "" });
    else options.seen.body = readBody(response, bodyUse, done, options.memory, (options.seen.digest = emptyDigest()));
  };

  try {
    const headers = wireHeaders(hop);
    const request = openRequest({
      createConnection: () => socket,
      method: hop.method,
      path: hop.destination.path,
      headers,
      maxHeaderSize: maxHeaderBytes,
      ...(options.proxy !== undefined && forwardedBy(options.proxy, hop.destination, headers)),
    });
    request.on("response", onResponse);
    const endEarly = (failure: ProbeFailure) => {
      settle(failure);
      socket.destroy();
    };
    request.on("information", countInterim(endEarly));
    // 101 without a requested upgrade: treat it as a normal response; HTTP on this connection has ended.
    request.on("upgrade", ({ statusCode = 101, headers: sent, httpVersion, statusMessage }) => {
      options.seen.head = { statusCode, headers: sent, httpVersion, statusMessage };
      settle({ statusCode, headers: sent, text: "" });
      socket.destroy();
    });
    request.on("error", fail);
    request.end(hop.body);
  } catch {
    // Node rejected a header. Its error message may contain the value.
    settle(cannotSend);
    socket.destroy();
  }
}

/** Returns alternating names and values. By default Node would ask to keep the connection for requests with a body. */
function wireHeaders({ destination, method, headers, body }: HopRequest): string[] {
  let hasHost = false;
  let hasAgent = false;
  let hasAccept = false;
  let hasCodings = false;
  const wire: string[] = [];
  for (const { name, value } of headers) {
    wire.push(name, value);
    const lower = name.toLowerCase();
    hasHost ||= lower === "host";
    hasAgent ||= lower === "user-agent";
    hasAccept ||= lower === "accept";
    // A range applies to the encoded body (RFC 9110 §14.2), so request it without codings.
    hasCodings ||= lower === "accept-encoding" || lower === "range";
  }
  if (!hasHost) wire.unshift("Host", destination.authority);
  if (!hasAgent) wire.push("User-Agent", "Sonde");
  if (!hasAccept) wire.push("Accept", "*/*");
  if (!hasCodings) wire.push("Accept-Encoding", acceptedCodings);
  wire.push("Connection", "close");
  if (body !== undefined) wire.push("Content-Length", String(body.length));
  else if (method === "POST" || method === "PUT" || method === "PATCH") wire.push("Content-Length", "0");
  return wire;
}
