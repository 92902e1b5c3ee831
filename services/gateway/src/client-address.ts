import { type Cidr, contains, isIpv6, parseAddress, withoutMapping } from "@sonde/kit/addresses";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The address of whoever made the request. X-Forwarded-For is read from its end, and only as far as the proxies that
 * wrote it are trusted: everything before the first untrusted address is the client's own claim.
 */
export function clientAddress(request: IncomingMessage, trusted: readonly Cidr[]): string {
  let address = withoutMapping(request.socket.remoteAddress ?? "");
  if (!isTrusted(address, trusted)) return address;
  const forwarded = request.headers["x-forwarded-for"];
  const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",").map((hop) => hop.trim());
  while (isTrusted(address, trusted)) {
    const hop = withoutMapping(hops.pop() ?? "");
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Whether a request came straight from an address of the list. */
export const comesFrom = (request: IncomingMessage, trusted: readonly Cidr[]): boolean =>
  isTrusted(withoutMapping(request.socket.remoteAddress ?? ""), trusted);

function isTrusted(text: string, trusted: readonly Cidr[]): boolean {
  const address = trusted.length === 0 ? undefined : parseAddress(text);
  return address !== undefined && trusted.some((range) => contains(range, address));
}

/** What limits count by: the address, or of IPv6 its network of 64 bits, for whoever has one of its addresses usually has all. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined || !isIpv6(address)) return text;
  return address.toByteArray().slice(0, 8).join(".");
}
