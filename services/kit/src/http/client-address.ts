import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { type Cidr, contains, parseAddress, withoutMapping } from "../addresses.ts";

/**
 * The address of whoever made the request. X-Forwarded-For is read from its end, and only as far as the proxies that
 * wrote it are trusted: everything before the first untrusted address is the client's own claim.
 * @param trustsPeer whether whoever connected is a proxy, wherever it is: something else sees to it that nobody else can
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

/** Whether an address, in its textual form, lies in one of the ranges. */
export function isTrusted(text: string, trusted: readonly Cidr[]): boolean {
  const address = trusted.length === 0 ? undefined : parseAddress(text);
  return address !== undefined && trusted.some((range) => contains(range, address));
}
