import { languageOf } from "@sonde/proto/http/language";
import type { Language } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { type Cidr, contains, parseAddress, withoutMapping } from "../addresses.ts";

export type Caller = { requestId: string; language: Language };

const usableId = /^[\w.:-]{8,128}$/;

/** Also adds the request id to the response. */
export function identify(request: IncomingMessage, response: ServerResponse): Caller {
  const caller = callerOf(request);
  response.setHeader("X-Request-Id", caller.requestId);
  return caller;
}

export const callerOf = (request: IncomingMessage): Caller => ({
  requestId: requestIdOf(request),
  language: languageOf(request.headers["accept-language"]),
});

/** Uses the client's id if it is usable, otherwise stores a new one in the request. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const asked = headers["x-request-id"];
  if (typeof asked === "string" && usableId.test(asked)) return asked;
  const requestId = randomUUID();
  headers["x-request-id"] = requestId;
  return requestId;
}

/**
 * Reads X-Forwarded-For from its end, as far as the proxies are trusted: everything before the first untrusted address
 * is an unverified claim.
 * @param trustsPeer something else ensures that only proxies can connect
 */
export function clientAddress(
  request: IncomingMessage,
  trusted: readonly Cidr[],
  { trustsPeer = false }: { trustsPeer?: boolean } = {},
): string {
  let address = withoutMapping(request.socket.remoteAddress ?? "");
  if (!trustsPeer && !isTrusted(address, trusted)) return address;
  const forwarded = request.headers["x-forwarded-for"];
  const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",").map((hop) => hop.trim());
  do {
    const hop = withoutMapping(hops.pop() ?? "");
    if (isIP(hop) === 0) break;
    address = hop;
  } while (isTrusted(address, trusted));
  return address;
}

export function isTrusted(text: string, trusted: readonly Cidr[]): boolean {
  const address = trusted.length === 0 ? undefined : parseAddress(text);
  return address !== undefined && trusted.some((range) => contains(range, address));
}
