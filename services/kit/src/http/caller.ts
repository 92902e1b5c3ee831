import { languageOf } from "@sonde/proto/http/language";
import type { Language } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { type Cidr, contains, parseAddress, withoutMapping } from "../addresses.ts";

/** Who receives a response: the request's id, and the reader's language. */
export type Caller = { requestId: string; language: Language };

const usableId = /^[\w.:-]{8,128}$/;

/** Gives a request its id and its language; the answer carries the id. */
export function identify(request: IncomingMessage, response: ServerResponse): Caller {
  const caller = callerOf(request);
  response.setHeader("X-Request-Id", caller.requestId);
  return caller;
}

export const callerOf = (request: IncomingMessage): Caller => ({
  requestId: requestIdOf(request),
  language: languageOf(request.headers["accept-language"]),
});

/** A request's id: its caller's, where that is usable, else a new one, which the request then keeps. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const asked = headers["x-request-id"];
  if (typeof asked === "string" && usableId.test(asked)) return asked;
  const requestId = randomUUID();
  headers["x-request-id"] = requestId;
  return requestId;
}

/**
 * The client's address. X-Forwarded-For is read from its end, and only as far as the proxies that wrote it are trusted:
 * everything before the first untrusted address is the client's own claim.
 * @param trustsPeer the peer is a proxy whatever its address, because something else ensures that only proxies can
 * connect
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

/** Whether one of the ranges contains an address, in its textual form. */
export function isTrusted(text: string, trusted: readonly Cidr[]): boolean {
  const address = trusted.length === 0 ? undefined : parseAddress(text);
  return address !== undefined && trusted.some((range) => contains(range, address));
}
