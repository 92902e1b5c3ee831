import { clipText } from "@sonde/kit/clip";
import { hostOf } from "@sonde/kit/egress/url";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { type Header, isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { cannotSend } from "../http/exchange.ts";
import type { AnyTarget, ProbeFailure, Probe, ProbeContext } from "../probe.ts";
import {
  maxSessionBytes,
  runSession,
  type ServerSession,
  SessionError,
  type SessionServer,
  tooMuch,
} from "../session.ts";
import { excerpt } from "../texts.ts";

export interface WebSocketTarget extends AnyTarget<"websocket">, SessionServer {
  url: string;
  headers: readonly Header[];
  protocols: readonly string[];
  send: string | undefined;
  expect: string | undefined;
}

const maxSearched = 4096;

export const probe: Probe<"websocket", WebSocketTarget> = { compile: compileWebSocket, run: probeWebSocket };

function compileWebSocket({
  url: address,
  headers,
  send,
  expect,
  verifyTls,
  minDaysLeft,
}: CheckOf<"websocket">): WebSocketTarget {
  const url = new URL(address);
  const isSecure = url.protocol === "wss:";
  const [protocols, others] = [headers.filter(isProtocol), headers.filter((header) => !isProtocol(header))];
  return {
    kind: "websocket",
    host: url.host,
    name: hostOf(url),
    port: Number(url.port || (isSecure ? 443 : 80)),
    security: isSecure ? "atOnce" : "never",
    verifyTls,
    minDaysLeft,
    passwords: headers.flatMap(({ name, value }) => (isSecretHeader(name) ? [value] : [])),
    url: address,
    headers: others,
    protocols: protocols.flatMap(({ value }) => value.split(",").map((part) => part.trim())),
    send,
    expect,
  };
}

const isProtocol = ({ name }: Header) => name.toLowerCase() === "sec-websocket-protocol";

/** Opens a WebSocket, sends the configured text, and waits for the expected text within the first 4 KiB. */
function probeWebSocket(target: WebSocketTarget, ctx: ProbeContext) {
  return runSession(target, ctx, (session) => speak(target, session), {
    headers: target.headers,
    expected: target.expect,
  });
}

function speak(
  target: WebSocketTarget,
  { socket, end: endAtOnce, seen, quote }: ServerSession,
): Promise<ProbeFailure | undefined> {
  const { url, headers, protocols, send, expect } = target;
  const unmet = (wanted: string, received: string): ProbeFailure => ({
    kind: "assertion",
    message: `Expected the response to contain ${excerpt(Buffer.from(wanted))}, got ${quote(received)}`,
  });
  return new Promise((resolve, reject) => {
    const end = (failure?: ProbeFailure) => {
      resolve(failure);
      client.close();
    };
    let client: WebSocket;
    try {
      client = new WebSocket(url, [...protocols], {
        createConnection: () => socket,
        headers: recordOf(headers),
        followRedirects: false,
        perMessageDeflate: false,
        maxPayload: maxSessionBytes,
      });
    } catch {
      // Node rejected a header, or the library a protocol. The error message may contain the value.
      return reject(new SessionError(cannotSend));
    }
    const note = ({ statusCode = 0, headers: sent, httpVersion, statusMessage }: IncomingMessage) => {
      seen.head = { statusCode, headers: sent, httpVersion, statusMessage };
    };
    client.on("upgrade", note);
    client.on("unexpected-response", (_request, response) => {
      note(response);
      resolve({ kind: "status", message: `Expected status 101, got ${response.statusCode ?? 0}` });
    });
    client.on("error", (error) => reject(clientError(error)));
    // The library closes the socket with an error of its own, so report the original one first.
    socket.prependListener("error", (error) => {
      const failure = clientError(error);
      if (failure instanceof SessionError) endAtOnce(failure.failure);
    });
    let received = "";
    // `data` is a Buffer because `binaryType` is "nodebuffer" by default.
    client.on("message", (data: Buffer) => {
      if (expect === undefined) return;
      received += data.toString("utf8").slice(0, maxSearched - received.length);
      seen.body = { chunks: [Buffer.from(received)], decode: String };
      if (received.includes(expect)) end();
      else if (received.length >= maxSearched) end(unmet(expect, received));
    });
    client.once("close", (code) => {
      if (expect !== undefined && received !== "") return resolve(unmet(expect, received));
      resolve({ kind: "protocol", message: `The server closed the WebSocket (${code})` });
    });
    client.once("open", () => {
      if (send === undefined) return expect === undefined ? end() : undefined;
      client.send(send, () => expect === undefined && end());
    });
  });
}

function clientError(error: Error & { code?: unknown }): Error {
  const { code, message } = error;
  if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return new SessionError(tooMuch);
  // Errors of the socket or the HTTP parser have a code. So do invalid frames.
  if (typeof code === "string" && !code.startsWith("WS_ERR_")) return error;
  if (message === "socket hang up") return error;
  const what = clipText(typeof code === "string" ? code.slice("WS_ERR_".length) : message, 60);
  return new SessionError({ kind: "protocol", message: `The server's WebSocket is not valid (${what})` });
}

function recordOf(headers: readonly Header[]): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = { "User-Agent": "Sonde" };
  for (const { name, value } of headers) {
    const same = Object.keys(record).find((one) => one.toLowerCase() === name.toLowerCase());
    if (same === "User-Agent" && record[same] === "Sonde") delete record[same];
    const before = same === undefined ? undefined : record[same];
    record[same !== undefined && before !== undefined ? same : name] =
      before === undefined ? value : [before, value].flat();
  }
  return record;
}
