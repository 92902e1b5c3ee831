import { request as openRequest } from "@sonde/kit/http/node-http";
import { hostOf } from "@sonde/kit/egress/url";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { reasonOf } from "./dial.ts";
import { EgressFault, type HttpAnswer, type HttpRequest } from "./egress.ts";

/** More of an answer is not read. */
const maxAnswerBytes = 64 * 1024;
const maxHeaderBytes = 16 * 1024;

/** Sends one request over an open connection, reads the response up to its limit, and closes. @throws EgressFault */
export function exchange(socket: Socket, url: URL, request: HttpRequest): Promise<HttpAnswer> {
  const { method, body, signal } = request;
  const host = hostOf(url);
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      signal.removeEventListener("abort", onAbort);
      end();
      socket.destroy();
    };
    const fail = (kind: EgressFault["kind"], message: string, sent = true) =>
      settle(() => reject(new EgressFault(kind, message, sent)));
    const onAbort = () => fail("timeout", `${host} did not answer in time`);
    const onResponse = (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const done = () => settle(() => resolve(answerOf(response, Buffer.concat(chunks).subarray(0, maxAnswerBytes))));
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= maxAnswerBytes) done();
      });
      response.on("end", done);
      response.on("error", (error) => fail("protocol", failureOf(host, error)));
    };
    try {
      const sending = openRequest({
        createConnection: () => socket,
        method,
        path: `${url.pathname}${url.search}`,
        headers: headersOf(url, request),
        maxHeaderSize: maxHeaderBytes,
      });
      sending.on("response", onResponse);
      // An ordinary response, since no upgrade was requested.
      sending.on("upgrade", (response) => settle(() => resolve(answerOf(response, Buffer.alloc(0)))));
      sending.on("error", (error) => fail("protocol", failureOf(host, error)));
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      else sending.end(body);
    } catch {
      // A header or a path that Node refuses to send; its words may hold the value.
      fail("protocol", "The request holds a character that HTTP does not allow", false);
    }
  });
}

function failureOf(host: string, error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  if (code.startsWith("HPE_")) return `The answer of ${host} is not valid HTTP (${code.slice(0, 60)})`;
  return error.message === "aborted"
    ? `${host} closed the connection in the midst of its answer`
    : reasonOf(host, error);
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): HttpAnswer {
  const texts = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")] as const);
  return { statusCode, headers: Object.fromEntries(texts), text: body.toString("utf8") };
}

/** Framing headers are set by us. */
const ownHeaders = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function headersOf(url: URL, { headers = {}, body }: HttpRequest): Record<string, string | number> {
  const given = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !ownHeaders.has(name));
  return {
    host: url.host,
    "user-agent": "Sonde",
    accept: "*/*",
    ...credentialsOf(url),
    ...Object.fromEntries(given),
    "content-length": Buffer.byteLength(body),
  };
}

/** `https://name:password@host/`: both travel in a header, never in the request's line. */
function credentialsOf({ username, password }: URL): { authorization?: string } {
  if (username === "" && password === "") return {};
  const plain = [username, password].map(decoded).join(":");
  return { authorization: `Basic ${Buffer.from(plain).toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
