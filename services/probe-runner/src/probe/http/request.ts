import { hostOf, isHttp, portOf } from "@sonde/kit/egress/url";
import { type Header, isSecretHeader } from "@sonde/proto/http/monitors/checks/http";
import type { ProbeFailure } from "../probe.ts";

/** Strings instead of a URL, to save memory with ten thousand targets. */
export interface Destination {
  secure: boolean;
  host: string;
  port: number;
  path: string;
  /** Value of the `Host` header, without the scheme's default port. */
  authority: string;
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

export function originOf({ secure, authority }: Destination): string {
  return `${secure ? "https" : "http"}://${authority}`;
}

export interface HopRequest {
  destination: Destination;
  method: string;
  headers: readonly Header[];
  body: Buffer | undefined;
}

const redirectCodes = new Set([301, 302, 303, 307, 308]);

/** Whether to follow a response. A redirect status without a Location is a regular response. */
export function isRedirect(statusCode: number, location: string | undefined): location is string {
  return redirectCodes.has(statusCode) && location !== undefined;
}

/** RFC 9110 §15.4, Fetch §4.4. Drops secret headers and `Host` when the origin changes. */
export function follow(request: HopRequest, statusCode: number, location: string): HopRequest | ProbeFailure {
  const { path } = request.destination;
  const origin = originOf(request.destination);
  if (!URL.canParse(location, origin + path)) {
    return { kind: "protocol", message: "The redirect's Location is not an address" };
  }
  const url = new URL(location, origin + path);
  if (!isHttp(url)) return { kind: "blocked", message: `Redirects to ${url.protocol} are not followed` };

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
