import { guardSocket, TooMuchReceived } from "./guarded-socket.ts";
import type { Addresses } from "./name-servers.ts";
import { type Egress as Rules, findRoute, hostOf, isHttp, portOf } from "./url.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { connect, isIP, type LookupFunction } from "node:net";
import { connect as connectTls } from "node:tls";
import { request as openRequest } from "../http/node-http.ts";
import type { IncomingMessage } from "node:http";

/** Includes name resolution and the whole response. */
const requestMs = 15_000;

/** Each request checks every address with the guard and opens a new connection. No proxies or redirects. */
export function createEgress(rules: Rules, clock: Clock = systemClock): OutgoingRequests {
  return {
    async request(request) {
      const deadlineMs = clock.elapsedMs() + requestMs;
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(requestMs)]);
      return send(rules, { ...request, signal }, () => clock.elapsedMs() > deadlineMs);
    },
    async addressOf(host) {
      const [address] = await routeTo(rules, host, AbortSignal.timeout(requestMs));
      return address;
    },
  };
}

/** @param isLate whether the deadline passed even if no timer fired, as after the process was suspended */
async function send(rules: Rules, request: HttpRequest, isLate: () => boolean): Promise<HttpAnswer> {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (url === undefined || !isHttp(url)) throw new EgressError("connect", "The address is no http or https address");
  return exchange(url, await routeTo(rules, hostOf(url), request.signal), request, isLate);
}

async function routeTo(rules: Rules, host: string, signal: AbortSignal): Promise<Addresses> {
  const route = await Promise.race([findRoute(host, rules), aborted(signal)]);
  if (route === "aborted") throw new EgressError("dns", `${host} was not resolved in time`);
  if (!("failure" in route)) return route.addresses;
  throw new EgressError(route.failure === "blocked" ? "blocked" : "dns", route.message);
}

function aborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}

/** How long one of several addresses may take before the next is tried. */
const attemptTimeoutMs = 1_000;
const maxAnswerBytes = 64 * 1024;
const maxHeaderBytes = 16 * 1024;
/** A body in one-byte chunks takes six times its size on the wire. */
const socketLimits = { maxBytes: 1024 * 1024, maxChunks: 16_384, maxWireBytes: 2 * 1024 * 1024 };
const maxInformation = 20;

/** Never resolves names; reads the response up to its limit. @throws EgressError */
function exchange(url: URL, addresses: Addresses, request: HttpRequest, isLate: () => boolean): Promise<HttpAnswer> {
  const { method, body, signal } = request;
  const host = hostOf(url);
  const isSecure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    let phase: keyof typeof inTime = "connect";
    const to = {
      host,
      port: portOf(url),
      lookup: answerWith(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    };
    // SNI must be a host name. Certificates of literal addresses are verified against the address.
    const names = { servername: isIP(host) === 0 ? host : "", ALPNProtocols: ["http/1.1"] };
    const socket = isSecure ? connectTls({ ...to, ...names }) : connect(to);
    let isSettled = false;
    const settle = (end: () => void) => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener("abort", onAbort);
      end();
      socket.destroy();
    };
    const fail = (kind: EgressError["kind"], message: string, sent = phase === "protocol") =>
      settle(() => reject(new EgressError(kind, message, sent)));
    const onAbort = () => fail(phase === "protocol" ? "timeout" : phase, `${host} ${inTime[phase]} in time`);
    const onError = (error: Error) => fail(phase, failureOf(host, error));
    guardSocket(socket, socketLimits, (error) =>
      error instanceof TooMuchReceived ? onTooMuch() : fail("protocol", `The response from ${host} is not valid`),
    );
    const onTooMuch = () => fail("protocol", `${host} sent a response that is too large`);
    const onResponse = (response: IncomingMessage) => {
      // Copied, because a list of one-byte chunks takes a hundred times the memory.
      const body = Buffer.allocUnsafeSlow(maxAnswerBytes);
      let bytes = 0;
      const done = () => settle(() => resolve(answerOf(response, body.subarray(0, bytes))));
      response.on("data", (chunk: Buffer) => {
        if (isSettled) return;
        bytes += chunk.copy(body, bytes);
        if (bytes === maxAnswerBytes) done();
      });
      response.on("end", done);
      response.on("error", onError);
    };
    const write = () => {
      if (isLate()) return fail("timeout", `${host} could not be reached in time`);
      phase = "protocol";
      try {
        const sending = openRequest({
          createConnection: () => socket,
          method,
          path: `${url.pathname}${url.search}`,
          headers: headersOf(url, request),
          maxHeaderSize: maxHeaderBytes,
        });
        sending.on("response", onResponse);
        let informed = 0;
        sending.on("information", () => ++informed > maxInformation && onTooMuch());
        // No upgrade was requested, so this is an ordinary response.
        sending.on("upgrade", (response) => settle(() => resolve(answerOf(response, Buffer.alloc(0)))));
        sending.on("error", onError);
        sending.end(body);
      } catch {
        // Node rejected a header or path. Its message may contain the value.
        fail("protocol", "The request contains a character that HTTP does not allow", false);
      }
    };
    if (isSecure) socket.once("connect", () => (phase = "tls"));
    socket.once(isSecure ? "secureConnect" : "connect", write);
    // Never removed, so that a late error does not crash the process.
    socket.on("error", onError);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

const inTime = { connect: "did not connect", tls: "did not finish TLS", protocol: "did not answer" } as const;

function reasonOf(host: string, error: unknown): string {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
  if (code === "ECONNREFUSED") return `${host} refused the connection`;
  if (code === "ECONNRESET" || code === "EPIPE") return `${host} closed the connection without an answer`;
  return (
    tlsReasonOf(host, cause) ?? `${host} could not be reached (${code === "" ? "unknown fault" : code.slice(0, 60)})`
  );
}

/** `undefined` for other errors. Matches the message because libraries replace the code. */
export function tlsReasonOf(host: string, error: unknown): string | undefined {
  const text = error instanceof Error ? error.message : "";
  if (text.includes("altnames")) return `The certificate of ${host} does not cover this name`;
  if (text.startsWith("certificate has expired")) return `The certificate of ${host} has expired`;
  if (/self-signed certificate|unable to (?:get|verify)/.test(text)) {
    return `The certificate of ${host} is not trusted; use CA_FILE to add your own CA`;
  }
  return /:SSL routines:|secure TLS connection/.test(text) ? `TLS with ${host} failed` : undefined;
}

function answerWith(addresses: Addresses): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, addresses[0], isIP(addresses[0]));
  };
}

function failureOf(host: string, error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  if (code.startsWith("HPE_")) return `The response from ${host} is not valid HTTP (${code.slice(0, 60)})`;
  return error.message === "aborted"
    ? `${host} closed the connection before its response was complete`
    : reasonOf(host, error);
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): HttpAnswer {
  const texts = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")] as const);
  return { statusCode, headers: Object.fromEntries(texts), text: body.toString("utf8") };
}

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

/** Sends credentials in a header, never in the request line. */
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

export type HttpRequest = {
  method: "GET" | "POST" | "PUT" | "PATCH";
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  signal: AbortSignal;
};

/** Truncated to 64 KiB. Redirects are not followed. */
export type HttpAnswer = {
  statusCode: number;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
};

/** The only way to send requests to configured addresses. */
export type OutgoingRequests = {
  /** Opens a new connection; takes at most 15 s. @throws EgressError */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** For protocols other than HTTP. @throws EgressError */
  addressOf(host: string): Promise<string>;
};

/** The message contains only the host of the URL. `blocked`: the guard denied the address. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly kind: "blocked" | "dns" | "connect" | "tls" | "timeout" | "protocol";
  /** True if the request was written: the provider may have processed it. */
  readonly sent: boolean;

  constructor(kind: EgressError["kind"], message: string, sent = false) {
    super(message);
    this.kind = kind;
    this.sent = sent;
  }
}
