import { remembered } from "@sonde/kit/cache";
import { hostOf, isHttp, portOf } from "@sonde/kit/egress/url";
import { type Header, isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import { parseExpectedStatus, type StatusRange } from "@sonde/proto/http/monitors/expected-status";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { compileAssertion } from "../assertions.ts";
import type { JudgedAssertions } from "../judging.ts";
import type { AnyTarget, Fault } from "../probe.ts";

/** The destination of a request. Strings, not a URL: ten thousand of them stay small. */
export interface Destination {
  secure: boolean;
  host: string;
  port: number;
  path: string;
  /** The `Host` header: without a scheme's default port. */
  authority: string;
}

/** An HTTP check, read once and ready to run many times. */
export interface HttpTarget extends AnyTarget<"http">, JudgedAssertions {
  destination: Destination;
  method: string;
  headers: readonly Header[];
  body: Buffer | undefined;
  expectedStatus: string;
  ranges: readonly StatusRange[];
  followRedirects: boolean;
  verifyTls: boolean;
  needsBody: boolean;
  minDaysLeft: number | undefined;
}

/** Prepares a check. @throws TypeError where the URL is none */
export function compileHttp(check: CheckOf<"http">): HttpTarget {
  const destination = destinationOf(new URL(check.url));
  const expectations = check.assertions.map((assertion) => compileAssertion(assertion));
  return {
    kind: "http",
    host: destination.authority,
    destination,
    method: check.method,
    headers: sharedIfEmpty(check.headers.filter(({ name }) => !framing.has(name.toLowerCase()))),
    body: check.body === undefined ? undefined : Buffer.from(check.body),
    ...expectationOf(String(check.expectedStatus)),
    followRedirects: check.followRedirects,
    verifyTls: check.verifyTls,
    assertions: sharedIfEmpty(check.assertions),
    expectations: sharedIfEmpty(expectations),
    needsBody: expectations.some(({ needsBody }) => needsBody),
    minDaysLeft: check.minDaysLeft,
  };
}

export function destinationOf(url: URL): Destination {
  const host = hostOf(url);
  return {
    secure: url.protocol === "https:",
    host,
    port: portOf(url),
    path: url.pathname + url.search,
    authority: url.host === host ? host : url.host,
  };
}

/** Scheme, host and port, as browsers compare them. */
export function originOf({ secure, authority }: Destination): string {
  return `${secure ? "https" : "http"}://${authority}`;
}

// Monitors are many, and most of them expect one of a few statuses and have neither headers nor assertions.
const none: readonly never[] = [];

function sharedIfEmpty<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list;
}

const expectationOf = remembered(
  (expectedStatus: string) => ({
    expectedStatus,
    ranges: parseExpectedStatus(expectedStatus) ?? [],
  }),
  1_000,
);

// Written by the probe itself; a second value would make a request that no two servers read alike.
const framing = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What is sent, and where. */
export interface HopRequest {
  destination: Destination;
  method: string;
  headers: readonly Header[];
  body: Buffer | undefined;
}

const redirectCodes = new Set([301, 302, 303, 307, 308]);

/** Whether an answer asks to be followed. One without a Location is an answer like any other. */
export function isRedirect(statusCode: number, location: string | undefined): location is string {
  return redirectCodes.has(statusCode) && location !== undefined;
}

/**
 * The next request of a redirect (RFC 9110 §15.4, Fetch §4.4): 303, and 301 or 302 after POST, turn into GET without
 * the body. Another origin gets no secret headers, and another host none that names the old one.
 */
export function follow(request: HopRequest, statusCode: number, location: string): HopRequest | Fault {
  const { path } = request.destination;
  const origin = originOf(request.destination);
  if (!URL.canParse(location, origin + path)) {
    return { kind: "protocol", message: "The redirect's Location is not an address" };
  }
  const url = new URL(location, origin + path);
  if (!isHttp(url)) return { kind: "blocked", message: `A redirect to ${url.protocol} is not followed` };

  const destination = destinationOf(url);
  const foreign = originOf(destination) !== origin;
  let headers = request.headers;
  if (foreign) headers = headers.filter(({ name }) => !isSecretHeader(name) && name.toLowerCase() !== "host");

  const { method, body } = request;
  const rewritten =
    (statusCode === 303 && method !== "GET" && method !== "HEAD") ||
    ((statusCode === 301 || statusCode === 302) && method === "POST");
  if (!rewritten) return { destination, method, headers, body };
  return {
    destination,
    method: "GET",
    headers: headers.filter(({ name }) => !/^content-/i.test(name)),
    body: undefined,
  };
}
