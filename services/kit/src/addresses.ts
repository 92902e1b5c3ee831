import ipaddr from "ipaddr.js";
import { isIP } from "node:net";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface Cidr {
  address: Address;
  prefixBits: number;
}

/** No zone ids. */
export function parseAddress(text: string): Address | undefined {
  // ipaddr.js also accepts octal, hexadecimal and short forms of IPv4; they are rejected here.
  const family = text.includes("%") ? 0 : isIP(text);
  if (family === 0) return undefined;
  return ipaddr.parse(family === 6 && text.includes(".") ? withoutDots(text) : text);
}

/** ipaddr.js reads `::1.2.3.4` as `::ffff:1.2.3.4`; the WHATWG parser writes every IPv6 address without dots. */
const withoutDots = (text: string) => new URL(`http://[${text}]`).hostname.slice(1, -1);

export const addressFromBytes = (bytes: Iterable<number>): Address => ipaddr.fromByteArray([...bytes]);

/** A bare address is a range of one. */
export function parseCidr(text: string): Cidr | undefined {
  const [first = "", prefix, ...rest] = text.trim().split("/");
  const address = parseAddress(first);
  if (address === undefined || rest.length > 0) return undefined;
  const width = isIpv6(address) ? 128 : 32;
  if (prefix === undefined) return { address, prefixBits: width };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > width) return undefined;
  return { address, prefixBits: Number(prefix) };
}

export function contains(range: Cidr, address: Address): boolean {
  return range.address.kind() === address.kind() && address.match(range.address, range.prefixBits);
}

export const isIpv6 = (address: Address): address is ipaddr.IPv6 => address.kind() === "ipv6";

/** The /24 of an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: Address): string {
  const bits = isIpv6(address) ? 64 : 24;
  return `${addressFromBytes(address.toByteArray().fill(0, bits / 8)).toString()}/${bits}`;
}

/** Converts `::ffff:10.0.0.1` to IPv4; returns other text unchanged. */
export function withoutMapping(text: string): string {
  const address = text.includes(":") ? parseAddress(text) : undefined;
  return address !== undefined && isIpv6(address) && address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : text;
}

export const loopbackRanges = ["127.0.0.0/8", "::1"] as const;
const loopback = loopbackRanges.map((text) => parseCidr(text)!);

export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  const address = parseAddress(withoutMapping(host.replace(/^\[|\]$/g, "")));
  return address !== undefined && loopback.some((range) => contains(range, address));
}

/**
 * Without an address, Node binds IPv6 and IPv4, or only IPv4 on a machine without IPv6
 * (https://nodejs.org/api/net.html#serverlistenport-host-backlog-callback).
 */
export const boundAddress = (host: string): string | undefined => (host === "::" ? undefined : host);

/** Address under which attempts are counted: an IPv6 client usually has a whole /64. */
export function countedAddress(text: string): string {
  const plain = withoutMapping(text.split("%")[0]!);
  const address = parseAddress(plain);
  if (address === undefined) return text;
  if (!isIpv6(address)) return plain;
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
