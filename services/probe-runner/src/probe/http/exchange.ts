import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { request as openRequest } from "@sonde/kit/http/node-http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Link, type LinkContext, openLink } from "../link.ts";
import type { Sighting } from "../evidence.ts";
import type { CheckMemory } from "../memory.ts";
import type { Fault } from "../probe.ts";
import { dial, type DialOptions } from "../tls/dial.ts";
import { readBody, type WantedBody } from "./body.ts";
import { acceptedCodings } from "./codings.ts";
import { countInterim } from "./interim.ts";
import { forwardedBy, openOverProxy, type ProxyWay } from "./proxy.ts";
import type { HopRequest } from "./request.ts";

/** An answer that arrived whole, as far as it was wanted. */
export interface TargetResponse {
  statusCode: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body is longer than the text. */
  isCut?: boolean;
}

export interface ExchangeOptions extends DialOptions {
  /** Through what the server is reached; the addresses are its own then. */
  proxy?: ProxyWay | undefined;
  /** Where the answer is noted as it comes, so that a failure in its midst has evidence. */
  seen: Sighting;
  /** What the check may keep of bodies; unbounded together with others if absent. */
  memory?: CheckMemory | undefined;
  /** Without TLS the server is known to speak HTTP/2 (RFC 9113 §3.3). */
  h2c?: boolean | undefined;
  wanted(statusCode: number, headers: IncomingHttpHeaders): WantedBody;
}

export const cannotSend: Fault = {
  kind: "protocol",
  message: "The request holds a character that HTTP does not allow",
};
const maxHeaderBytes = 65_536;

/**
 * Sends one request by HTTP/1.1 over a fresh connection to a checked address, and reads the answer. Never rejects. Adds to
 * `timings` what each phase took, a failed one included.
 */
export function exchange(
  hop: HopRequest,
  addresses: Addresses,
  ctx: LinkContext,
  timings: Timings,
  options: ExchangeOptions,
): Promise<TargetResponse | Fault> {
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

/** Sends a request over a link, which may still be connecting, and settles it with what comes. */
function sendOver(link: Link<TargetResponse>, hop: HopRequest, options: ExchangeOptions): void {
  const { socket, lap, settle, fail } = link;
  const onResponse = (response: IncomingMessage) => {
    lap("body");
    const { headers, statusCode = 0, httpVersion, statusMessage } = response;
    options.seen.head = { statusCode, headers, httpVersion, statusMessage };
    const wanted = options.wanted(statusCode, headers);
    const done = (found: { text: string; isCut?: boolean } | Fault) => {
      settle("text" in found ? { statusCode, headers, text: found.text, isCut: found.isCut === true } : found);
      if (!response.complete) socket.destroy();
    };
    response.on("error", fail);
    if (wanted === "nothing") done({ text: "" });
    else options.seen.body = readBody(response, wanted, done, options.memory);
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
    const endEarly = (fault: Fault) => {
      settle(fault);
      socket.destroy();
    };
    request.on("information", countInterim(endEarly));
    // 101 without a requested upgrade: an ordinary response, and the end of HTTP on this connection.
    request.on("upgrade", ({ statusCode = 101, headers: sent, httpVersion, statusMessage }) => {
      options.seen.head = { statusCode, headers: sent, httpVersion, statusMessage };
      settle({ statusCode, headers: sent, text: "" });
      socket.destroy();
    });
    request.on("error", fail);
    request.end(hop.body);
  } catch {
    // A header that Node refuses to send; its words may hold the value.
    settle(cannotSend);
    socket.destroy();
  }
}

/** Names and values in turn, as Node sends them; left to itself it asks to keep the connection of a request with a body. */
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
    // A range is one of the body as it is coded (RFC 9110 §14.2): without codings it is one of the text.
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
