import { type Cidr, isIpv6, parseAddress, withoutMapping } from "@sonde/kit/addresses";
import { isTrusted } from "@sonde/kit/http/client-address";
import type { IncomingMessage } from "node:http";

export { clientAddress } from "@sonde/kit/http/client-address";

/** Whether a request came straight from an address of the list. */
export const comesFrom = (request: IncomingMessage, trusted: readonly Cidr[]): boolean =>
  isTrusted(withoutMapping(request.socket.remoteAddress ?? ""), trusted);

/** What limits count by: the address, or of IPv6 its network of 64 bits, for whoever has one of its addresses usually has all. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined || !isIpv6(address)) return text;
  return address.toByteArray().slice(0, 8).join(".");
}
