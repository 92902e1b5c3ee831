import type { Socket } from "node:net";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request as openRequest } from "@sonde/kit/http/node-http";
import type { Timings } from "@sonde/proto/http/checks";
import { readBody } from "./body.ts";
import { dial, type DialOptions } from "./dial.ts";
import { faultOf, isRefusal, isSilence, isUnrouted, type Phase, refuser, timeoutIn } from "./faults.ts";
import { cancelled, type Fault, type ProbeContext } from "./outcome.ts";
import type { HopRequest } from "./redirect.ts";

/** An answer that arrived whole, as far as it was wanted. */
export interface Answer {
  statusCode: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** How much of a body is wanted: nothing, its arrival, its text. */
export type Wanted = "nothing" | "end" | "text";

export interface ExchangeOptions extends DialOptions {
  wanted(statusCode: number, headers: IncomingHttpHeaders): Wanted;
}

const maxHeaderBytes = 16_384;

/**
 * Sends one request over a fresh connection to a checked address, and reads the answer. Never rejects. Adds to
 * `timings` what each phase took, a failed one included.
 */
export function exchange(
  hop: HopRequest,
  addresses: readonly string[],
  { signal, clock, onAlive }: Pick<ProbeContext, "signal" | "clock" | "onAlive">,
  timings: Required<Timings>,
  options: ExchangeOptions,
): Promise<Answer | Fault> {
  return new Promise((resolve) => {
    let phase: Phase = "connect";
    let markMs = clock.elapsedMs();
    let settled = false;

    const lap = (next: Phase) => {
      const nowMs = clock.elapsedMs();
      if (phase !== "body") timings[phase] += nowMs - markMs;
      markMs = nowMs;
      phase = next;
    };
    const settle = (answer: Answer | Fault) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener("abort", onAbort);
      if (!("statusCode" in answer)) lap("body");
      resolve(answer);
    };
    const silent = (fault: Fault, unrouted = false): Fault =>
      "trouble" in fault ? fault : { ...fault, silence: { of: "host", addresses, unrouted } };
    const fail = (error: unknown) => {
      const fault = faultOf(error, phase);
      if (phase === "connect" && isRefusal(error)) onAlive?.(refuser(error) ?? addresses[0]!, destination.port);
      settle(isSilence(error, phase) ? silent(fault, isUnrouted(error)) : fault);
    };
    const onAbort = () => {
      settle(signal.reason === cancelled ? { trouble: "cancelled" } : silent(timeoutIn(phase)));
      socket.destroy();
    };

    const { destination, method, body } = hop;
    const socket = dial(destination, addresses, options);
    socket.on("error", fail);
    socket.once("close", () => process.nextTick(letGo, socket));
    socket.once("connect", () => {
      onAlive?.(socket.remoteAddress ?? addresses[0]!, destination.port);
      lap(destination.secure ? "tls" : "firstByte");
    });
    if (destination.secure) socket.once("secureConnect", () => lap("firstByte"));

    const onResponse = (response: IncomingMessage) => {
      lap("body");
      const { headers, statusCode = 0 } = response;
      const wanted = options.wanted(statusCode, headers);
      const done = (text: string | Fault) => {
        settle(typeof text === "string" ? { statusCode, headers, text } : text);
        if (!response.complete) socket.destroy();
      };
      response.on("error", fail);
      if (wanted === "nothing") done("");
      else readBody(response, wanted === "text", done);
    };

    signal.addEventListener("abort", onAbort);
    try {
      const request = openRequest({
        createConnection: () => socket,
        method,
        path: destination.path,
        headers: wireHeaders(hop),
        maxHeaderSize: maxHeaderBytes,
      });
      request.on("response", onResponse);
      // 101 to a request that asked for no upgrade: an answer like any other, and the end of HTTP on this connection.
      request.on("upgrade", ({ statusCode = 101, headers }) => {
        settle({ statusCode, headers, text: "" });
        socket.destroy();
      });
      request.on("error", fail);
      request.end(body);
    } catch (error) {
      // A header that node refuses to send.
      settle({ kind: "protocol", message: error instanceof Error ? error.message : String(error) });
      socket.destroy();
    }
    if (signal.aborted) onAbort();
  });
}

// A closed socket often lives until the next full sweep, for what links the streams of Node outlives the young
// generation. Through its listeners and its request it would keep the whole exchange: 5 KB a check instead of 1.
function letGo(socket: Socket) {
  socket.removeAllListeners();
  socket.on("error", ignore);
  // Node's own name for the request; it is cleared after an upgrade, but not at the end.
  Object.assign(socket, { _httpMessage: null });
}

function ignore() {}

/** Names and values in turn: node sends such a list as it stands, with `Connection: close` behind it. */
function wireHeaders({ destination, method, headers, body }: HopRequest): string[] {
  let hasHost = false;
  let hasAgent = false;
  let hasAccept = false;
  const wire: string[] = [];
  for (const { name, value } of headers) {
    wire.push(name, value);
    const lower = name.toLowerCase();
    hasHost ||= lower === "host";
    hasAgent ||= lower === "user-agent";
    hasAccept ||= lower === "accept";
  }
  if (!hasHost) wire.unshift("Host", destination.authority);
  if (!hasAgent) wire.push("User-Agent", "Sonde");
  if (!hasAccept) wire.push("Accept", "*/*");
  if (body !== undefined) wire.push("Content-Length", String(body.length));
  else if (method === "POST" || method === "PUT" || method === "PATCH") wire.push("Content-Length", "0");
  return wire;
}
