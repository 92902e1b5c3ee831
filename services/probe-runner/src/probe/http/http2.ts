import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import type { IncomingHttpHeaders } from "node:http";
import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { TLSSocket } from "node:tls";
import { closedEarly, closedSilently } from "../faults.ts";
import { type Link, type LinkContext, openLink } from "../link.ts";
import type { Fault } from "../probe.ts";
import { dial } from "../tls/dial.ts";
import { noCommonProtocol } from "../tls/faults.ts";
import { readBody } from "./body.ts";
import { acceptedCodings } from "./codings.ts";
import { cannotSend, exchange, type ExchangeOptions, type TargetResponse } from "./exchange.ts";
import { countInterim } from "./interim.ts";
import { openOverProxy } from "./proxy.ts";
import type { Destination, HopRequest } from "./request.ts";

/** Destinations that refused HTTP/1.1 and took HTTP/2: the next check begins with that. */
const http2Only = new WeakSet<Destination>();
const speaksNeither = (found: TargetResponse | Fault) => "message" in found && found.message === noCommonProtocol;

/**
 * Sends one request as `exchange` does; if the server refuses HTTP/1.1 (ALPN, RFC 7301) the request is sent by HTTP/2
 * over another connection. Never rejects.
 */
export async function exchangeByEither(...request: Parameters<typeof exchange>): Promise<TargetResponse | Fault> {
  const [{ destination }, , , , { h2c }] = request;
  if (h2c === true && !destination.secure) return exchangeHttp2(...request);
  if (!http2Only.has(destination)) {
    const found = await exchange(...request);
    if (!speaksNeither(found)) return found;
    const other = await exchangeHttp2(...request);
    if ("statusCode" in other) http2Only.add(destination);
    return other;
  }
  const found = await exchangeHttp2(...request);
  if (!speaksNeither(found)) return found;
  http2Only.delete(destination);
  return exchange(...request);
}

const noHttp2: Fault = { kind: "protocol", message: "The server does not support HTTP/2 without TLS (h2c)" };
const schemeOf = ({ secure }: Destination) => (secure ? "https" : "http");

/** One request by HTTP/2 (RFC 9113) over a fresh connection, for a server that speaks nothing else, or by prior knowledge; see `exchange`. */
function exchangeHttp2(
  hop: HopRequest,
  addresses: Addresses,
  ctx: LinkContext,
  timings: Timings,
  options: ExchangeOptions,
): Promise<TargetResponse | Fault> {
  const { destination } = hop;
  // Most runners never need it.
  const { connect } = process.getBuiltinModule("node:http2");
  const send = (link: Link<TargetResponse>) => {
    const { socket, settle, fail } = link;
    if (destination.secure && socket instanceof TLSSocket && socket.alpnProtocol !== "h2") {
      settle({ kind: "tls", message: noCommonProtocol });
      return void socket.destroy();
    }
    const session = connect(`${schemeOf(destination)}://${destination.authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    let isHttp2 = false;
    session.once("remoteSettings", () => (isHttp2 = true));
    const failEither = (error: Error & { code?: unknown }) => {
      if (!destination.secure && !isHttp2 && error.code === "ERR_HTTP2_ERROR") settle(noHttp2);
      fail(error);
    };
    session.on("error", failEither);
    const end = (found: TargetResponse | Fault) => {
      settle(found);
      session.destroy();
    };
    try {
      const stream = session.request(headersOf(hop));
      stream.on("error", failEither);
      const onSilent = () => end(closedSilently);
      stream.once("close", onSilent);
      stream.on("headers", countInterim(end));
      stream.once("response", ({ ":status": statusCode = 0, ...headers }) => {
        link.lap("body");
        stream.off("close", onSilent);
        readAnswer(stream, statusCode, headers, options, end);
      });
      stream.end(hop.body);
    } catch {
      end(cannotSend);
    }
  };
  if (options.proxy !== undefined) {
    return openOverProxy(options.proxy, destination, addresses, ctx, timings, options, send, "h2");
  }
  const { secure, port } = destination;
  const open = () => dial(destination, addresses, ctx.timeoutMs, options, "h2");
  return openLink<TargetResponse>({ addresses, port }, ctx, timings, secure ? "tls" : "firstByte", open, (link) => {
    link.socket.once(secure ? "secureConnect" : "connect", () => {
      if (secure) link.lap("firstByte");
      send(link);
    });
  });
}

function readAnswer(
  stream: ClientHttp2Stream,
  statusCode: number,
  headers: IncomingHttpHeaders,
  { wanted: wantedOf, seen, memory }: ExchangeOptions,
  end: (found: TargetResponse | Fault) => void,
) {
  seen.head = { statusCode, headers };
  const wanted = wantedOf(statusCode, headers);
  const done = (found: { text: string; isCut?: boolean } | Fault) =>
    end("text" in found ? { statusCode, headers, ...found } : found);
  if (wanted === "nothing") return done({ text: "" });
  const response = Object.assign(stream, { headers, complete: false });
  // Node ends the text of a stream that broke off, too.
  stream.once("end", () => (response.complete = stream.rstCode === 0 && !stream.destroyed) || end(closedEarly));
  stream.once("close", () => response.complete || end(closedEarly));
  seen.body = readBody(response, wanted, done, memory);
}

/** The request's headers (RFC 9113 §8.3.1); what belongs to a connection of HTTP/1.1 was left out on compiling. */
function headersOf({ destination, method, headers, body }: HopRequest): OutgoingHttpHeaders {
  const wire: Record<string, string | string[]> = {
    ":method": method,
    ":scheme": schemeOf(destination),
    ":authority": destination.authority,
    ":path": destination.path,
    "user-agent": "Sonde",
    accept: "*/*",
    "accept-encoding": acceptedCodings,
  };
  const own = new Set(["user-agent", "accept", "accept-encoding"]);
  for (const { name, value } of headers) {
    const lower = name.toLowerCase() === "host" ? ":authority" : name.toLowerCase();
    const before = own.delete(lower) || lower === ":authority" ? undefined : wire[lower];
    wire[lower] = before === undefined ? value : [before, value].flat();
  }
  if ("range" in wire && own.has("accept-encoding")) delete wire["accept-encoding"];
  if (body !== undefined) wire["content-length"] = String(body.length);
  return wire;
}
