import type { IncomingMessage } from "node:http";
import { type BlockList, isIP, isIPv4 } from "node:net";

/**
 * The address of whoever made the request. X-Forwarded-For is read from its end, and only as far as the proxies that
 * wrote it are trusted: everything before the first untrusted address is the client's own claim.
 */
export function clientAddress(request: IncomingMessage, trusted: BlockList | null): string {
  let address = plain(request.socket.remoteAddress ?? "");
  if (trusted === null) return address;
  const forwarded = request.headers["x-forwarded-for"];
  const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",").map((hop) => hop.trim());
  while (isTrusted(address, trusted)) {
    const hop = plain(hops.pop() ?? "");
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Whether a request came straight from an address of the list. */
export const comesFrom = (request: IncomingMessage, trusted: BlockList): boolean =>
  isTrusted(plain(request.socket.remoteAddress ?? ""), trusted);

function isTrusted(address: string, trusted: BlockList): boolean {
  if (isIP(address) === 0) return false;
  return trusted.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/** An IPv4 address that came through an IPv6 socket is the same client. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
