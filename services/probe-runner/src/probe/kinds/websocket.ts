import { clipText } from "@sonde/kit/clip";
import { hostOf } from "@sonde/kit/egress/url";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { type Header, isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { cannotSend } from "../http/exchange.ts";
import type { AnyTarget, Fault, Probe, ProbeContext } from "../probe.ts";
import {
  maxSessionBytes,
  runSession,
  type ServerSession,
  SessionFault,
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

/** How much of what comes is looked at. */
const maxLookedAt = 4096;

export const probe: Probe<"websocket", WebSocketTarget> = { compile: compileWebSocket, run: probeWebSocket };

function compileWebSocket({
  url: given,
  headers,
  send,
  expect,
  verifyTls,
  minDaysLeft,
}: CheckOf<"websocket">): WebSocketTarget {
  const url = new URL(given);
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
    url: given,
    headers: others,
    protocols: protocols.flatMap(({ value }) => value.split(",").map((part) => part.trim())),
    send,
    expect,
  };
}

const isProtocol = ({ name }: Header) => name.toLowerCase() === "sec-websocket-protocol";

/** Opens a WebSocket, sends the configured text, and waits for the expected one within the first 4 KiB. Never rejects. */
function probeWebSocket(target: WebSocketTarget, ctx: ProbeContext) {
  return runSession(target, ctx, (session) => speak(target, session), {
    headers: target.headers,
    expected: target.expect,
  });
}

function speak(
  target: WebSocketTarget,
  { socket, end: endAtOnce, seen, quote }: ServerSession,
): Promise<Fault | undefined> {
  const { url, headers, protocols, send, expect } = target;
  const unmet = (wanted: string, came: string): Fault => ({
    kind: "assertion",
    message: `Expected the answer to contain ${excerpt(Buffer.from(wanted))}, got ${quote(came)}`,
  });
  return new Promise((resolve, reject) => {
    const end = (fault?: Fault) => {
      resolve(fault);
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
      // A header that Node refuses to send, or a protocol that is none; its words may hold the value.
      return reject(new SessionFault(cannotSend));
    }
    const note = ({ statusCode = 0, headers: sent, httpVersion, statusMessage }: IncomingMessage) => {
      seen.head = { statusCode, headers: sent, httpVersion, statusMessage };
    };
    client.on("upgrade", note);
    client.on("unexpected-response", (_request, response) => {
      note(response);
      resolve({ kind: "status", message: `Expected status 101, got ${response.statusCode ?? 0}` });
    });
    client.on("error", (error) => reject(faultOfClient(error)));
    // The library closes the socket with an error of its own.
    socket.prependListener("error", (error) => {
      const fault = faultOfClient(error);
      if (fault instanceof SessionFault) endAtOnce(fault.fault);
    });
    let came = "";
    // As `binaryType` is by default.
    client.on("message", (data: Buffer) => {
      if (expect === undefined) return;
      came += data.toString("utf8").slice(0, maxLookedAt - came.length);
      seen.body = { chunks: [Buffer.from(came)], decode: String };
      if (came.includes(expect)) end();
      else if (came.length >= maxLookedAt) end(unmet(expect, came));
    });
    client.once("close", (code) => {
      if (expect !== undefined && came !== "") return resolve(unmet(expect, came));
      resolve({ kind: "protocol", message: `The server closed the WebSocket (${code})` });
    });
    client.once("open", () => {
      if (send === undefined) return expect === undefined ? end() : undefined;
      client.send(send, () => expect === undefined && end());
    });
  });
}

/** What Node or the library reports, by the parts of it that are known. */
function faultOfClient(error: Error & { code?: unknown }): Error {
  const { code, message } = error;
  if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return new SessionFault(tooMuch);
  // An error of the socket or of the reader of HTTP has a code; so has a frame that is not valid.
  if (typeof code === "string" && !code.startsWith("WS_ERR_")) return error;
  if (message === "socket hang up") return error;
  const what = clipText(typeof code === "string" ? code.slice("WS_ERR_".length) : message, 60);
  return new SessionFault({ kind: "protocol", message: `The server's WebSocket is not valid (${what})` });
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
