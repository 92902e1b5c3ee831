import ipaddr from "ipaddr.js";
import { isIP } from "node:net";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses of one family. */
export interface Cidr {
  address: Address;
  prefixBits: number;
}

/** An IPv4 or IPv6 address in its textual form, without zone id. Undefined for anything that is no address. */
export function parseAddress(text: string): Address | undefined {
  // ipaddr.js also reads octal, hexadecimal and short forms of IPv4, which are no addresses here.
  const family = text.includes("%") ? 0 : isIP(text);
  if (family === 0) return undefined;
  return ipaddr.parse(family === 6 && text.includes(".") ? withoutDots(text) : text);
}

/** ipaddr.js takes `::1.2.3.4` for `::ffff:1.2.3.4`; WHATWG's parser writes every IPv6 address without dots. */
const withoutDots = (text: string) => new URL(`http://[${text}]`).hostname.slice(1, -1);

/** The address of 4 (IPv4) or 16 (IPv6) bytes. */
export const addressFromBytes = (bytes: Iterable<number>): Address => ipaddr.fromByteArray([...bytes]);

/** Parses `10.0.0.0/8`, `fd00::/8` or a bare address, a range of one. Undefined if it is neither. */
export function parseCidr(text: string): Cidr | undefined {
  const [first = "", prefix, ...rest] = text.trim().split("/");
  const address = parseAddress(first);
  if (address === undefined || rest.length > 0) return undefined;
  const width = isIpv6(address) ? 128 : 32;
  if (prefix === undefined) return { address, prefixBits: width };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > width) return undefined;
  return { address, prefixBits: Number(prefix) };
}

/** Whether the range contains the address; families never match each other. */
export function contains(range: Cidr, address: Address): boolean {
  return range.address.kind() === address.kind() && address.match(range.address, range.prefixBits);
}

export const isIpv6 = (address: Address): address is ipaddr.IPv6 => address.kind() === "ipv6";

/** An IPv4 address from an IPv6 socket (`::ffff:10.0.0.1`) as IPv4; all others unchanged. */
export function withoutMapping(text: string): string {
  const address = text.includes(":") ? parseAddress(text) : undefined;
  return address !== undefined && isIpv6(address) && address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : text;
}

/** The addresses by which a machine reaches itself alone. */
export const loopbackRanges = ["127.0.0.0/8", "::1"] as const;
const loopback = loopbackRanges.map((text) => parseCidr(text)!);

/** Whether a host (a name, or an address with or without brackets) is this machine itself, reachable from it alone. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  const address = parseAddress(withoutMapping(host.replace(/^\[|\]$/g, "")));
  return address !== undefined && loopback.some((range) => contains(range, address));
}

/**
 * The address to bind for a host. `::` is both families: without an address Node binds `::` for IPv6 and IPv4, and `0.0.0.0` on
 * a machine without IPv6 (https://nodejs.org/api/net.html#serverlistenport-host-backlog-callback).
 */
export const boundAddress = (host: string): string | undefined => (host === "::" ? undefined : host);

/**
 * The address by which attempts are counted. An IPv6 client usually has a whole /64, so that counts as one address; a
 * zone is left out. A text that is not an address counts unchanged.
 */
export function countedAddress(text: string): string {
  const plain = withoutMapping(text.split("%")[0]!);
  const address = parseAddress(plain);
  if (address === undefined) return text;
  if (!isIpv6(address)) return plain;
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
