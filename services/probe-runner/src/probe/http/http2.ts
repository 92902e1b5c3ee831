import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import type { IncomingHttpHeaders } from "node:http";
import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { TLSSocket } from "node:tls";
import { closedEarly, closedSilently } from "../failures.ts";
import { emptyDigest } from "../traces.ts";
import { type Link, type LinkContext, openLink } from "../link.ts";
import type { ProbeFailure } from "../probe.ts";
import { dial } from "../tls/dial.ts";
import { noCommonProtocol } from "../tls/errors.ts";
import { readBody } from "./body.ts";
import { acceptedCodings } from "./codings.ts";
import { cannotSend, exchange, type ExchangeOptions, type TargetResponse } from "./exchange.ts";
import { countInterim } from "./interim.ts";
import { openOverProxy } from "./proxy.ts";
import type { Destination, HopRequest } from "./request.ts";

/** Destinations that rejected HTTP/1.1 but accepted HTTP/2. The next check starts with HTTP/2. */
const http2Only = new WeakSet<Destination>();
const speaksNeither = (found: TargetResponse | ProbeFailure) =>
  "message" in found && found.message === noCommonProtocol;

/** Retries with HTTP/2 on another connection if the server rejects HTTP/1.1 (ALPN, RFC 7301). Never rejects. */
export async function exchangeByEither(
  ...request: Parameters<typeof exchange>
): Promise<TargetResponse | ProbeFailure> {
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

const noHttp2: ProbeFailure = { kind: "protocol", message: "The server does not support HTTP/2 without TLS (h2c)" };
const schemeOf = ({ secure }: Destination) => (secure ? "https" : "http");

/** Like `exchange`, with HTTP/2 (RFC 9113), either for servers that support nothing else or with prior knowledge. */
function exchangeHttp2(
  hop: HopRequest,
  addresses: Addresses,
  ctx: LinkContext,
  timings: Timings,
  options: ExchangeOptions,
): Promise<TargetResponse | ProbeFailure> {
  const { destination } = hop;
  // Loaded on demand: most runners never need it.
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
    const end = (found: TargetResponse | ProbeFailure) => {
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
  { bodyUse: bodyUseOf, seen, memory }: ExchangeOptions,
  end: (found: TargetResponse | ProbeFailure) => void,
) {
  seen.head = { statusCode, headers };
  const bodyUse = bodyUseOf(statusCode, headers);
  const done = (found: { text: string; isCut?: boolean } | ProbeFailure) =>
    end("text" in found ? { statusCode, headers, ...found } : found);
  if (bodyUse === "nothing") return done({ text: "" });
  const response = Object.assign(stream, { headers, complete: false });
  // Node emits `end` for an aborted stream as well.
  stream.once("end", () => (response.complete = stream.rstCode === 0 && !stream.destroyed) || end(closedEarly));
  stream.once("close", () => response.complete || end(closedEarly));
  seen.body = readBody(response, bodyUse, done, memory, (seen.digest = emptyDigest()));
}

/** Returns HTTP/2 headers (RFC 9113 §8.3.1). Connection-specific headers were removed at compile time. */
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
