import { type Address, addressFromBytes, type Cidr, contains, isIpv6, parseAddress, parseCidr } from "../addresses.ts";
import { memoize } from "../cache.ts";

// Never allowed as targets. Metadata services hand out the machine's credentials.
const alwaysForbidden: readonly (readonly [range: string, name: string])[] = [
  ["0.0.0.0/8", "an unspecified address"],
  ["169.254.0.0/16", "a link-local address"],
  ["100.100.100.200/32", "a cloud metadata address"],
  ["168.63.129.16/32", "a cloud metadata address"],
  ["192.0.0.192/32", "a cloud metadata address"],
  ["224.0.0.0/4", "a multicast address"],
  ["255.255.255.255/32", "a broadcast address"],
  ["::/128", "an unspecified address"],
  ["fe80::/10", "a link-local address"],
  // Services of Amazon's hypervisor; fd00:ec2::254 is the metadata service.
  ["fd00:ec2::/32", "a cloud metadata address"],
  ["fd20:ce::254/128", "a cloud metadata address"], // Google
  ["fd00:c1::a9fe:a9fe/128", "a cloud metadata address"], // Oracle
  ["fd00:42::42/128", "a cloud metadata address"], // Scaleway
  ["ff00::/8", "a multicast address"],
];

interface Rule {
  range: Cidr;
  name: string;
}

/**
 * Guards requests to configured addresses. A denied IPv4 range with 127.0.0.1 also denies `::1`, the loopback of the
 * same machine. @throws Error if a range is invalid
 */
export function createGuard({ denyCidrs = [] }: { denyCidrs?: readonly string[] } = {}) {
  const denied = denyCidrs.flatMap(deniedRanges).map((range) => ({ range, name: "denied by PROBE_DENY_CIDRS" }));
  const rules = [...alwaysForbidden.map(([text, name]): Rule => ({ range: readRange(text), name })), ...denied];

  const refusal = memoize((address: string) => judge(rules, address), maxCached);
  /** Returns why an address may not be dialled. */
  return { refusal };
}

export type EgressGuard = ReturnType<typeof createGuard>;

const maxCached = 20_000;
const loopback4 = readRange("127.0.0.1").address;
const mappedBits = 96;

function readRange(text: string): Cidr {
  const range = parseCidr(text);
  if (range === undefined) throw new Error(`PROBE_DENY_CIDRS: ${text} is not a range such as 10.0.0.0/8`);
  return range;
}

function deniedRanges(text: string): Cidr[] {
  const given = readRange(text);
  const { address, prefixBits } = given;
  // The guard reads a mapped address as the IPv4 address it contains, so a mapped range must deny that too.
  const isMapped = isIpv6(address) && address.isIPv4MappedAddress() && prefixBits >= mappedBits;
  const range = isMapped ? { address: address.toIPv4Address(), prefixBits: prefixBits - mappedBits } : given;
  return contains(range, loopback4) ? [range, readRange("::1")] : [range];
}

function judge(rules: readonly Rule[], text: string): string | undefined {
  // Only link-local scopes have zone ids.
  if (text.includes("%")) return `${text} is a link-local address`;
  const address = parseAddress(text);
  if (address === undefined) return `${text} is not an address`;
  const name = match(rules, address);
  return name === undefined ? undefined : `${text} is ${name}`;
}

function match(rules: readonly Rule[], address: Address): string | undefined {
  const direct = rules.find(({ range }) => contains(range, address));
  if (direct !== undefined || !isIpv6(address)) return direct?.name;
  for (const inner of embeddedIpv4(address)) {
    const hidden = rules.find(({ range }) => contains(range, inner));
    if (hidden !== undefined) return `${hidden.name} (${inner.toString()} within IPv6)`;
  }
  return undefined;
}

/** Byte positions of an IPv4 address within an IPv6 address of this range. */
interface Carrier {
  range: Cidr;
  at: readonly [number, number, number, number];
  inverted?: boolean;
  /** The range also contains addresses of other forms, which would read as 0.x here. */
  otherForms?: boolean;
}
const carriers: readonly Carrier[] = [
  { range: readRange("::ffff:0:0/96"), at: [12, 13, 14, 15] }, // IPv4-mapped (RFC 4291)
  { range: readRange("::/96"), at: [12, 13, 14, 15] }, // IPv4-compatible (RFC 4291, deprecated)
  { range: readRange("::ffff:0:0:0/96"), at: [12, 13, 14, 15] }, // IPv4-translated (RFC 2765)
  { range: readRange("64:ff9b::/96"), at: [12, 13, 14, 15] }, // NAT64 (RFC 6052)
  { range: readRange("64:ff9b:1::/48"), at: [6, 7, 9, 10], otherForms: true }, // local NAT64 (RFC 8215), /48 form
  { range: readRange("64:ff9b:1::/48"), at: [12, 13, 14, 15] }, // the same, with a prefix of 96 bits
  { range: readRange("2002::/16"), at: [2, 3, 4, 5] }, // 6to4 (RFC 3056)
  { range: readRange("2001::/32"), at: [12, 13, 14, 15], inverted: true }, // Teredo (RFC 4380)
];
const ownMeaning: readonly Cidr[] = [readRange("::1"), readRange("::")];

/** IPv4 addresses that translation or tunnels may turn this IPv6 address into. */
function embeddedIpv4(address: Address): Address[] {
  if (ownMeaning.some((range) => contains(range, address))) return [];
  const bytes = address.toByteArray();
  const found: Address[] = [];
  for (const { range, at, inverted, otherForms } of carriers) {
    if (!contains(range, address)) continue;
    const inner = at.map((index) => bytes[index]! ^ (inverted ? 0xff : 0));
    if (!otherForms || inner[0] !== 0) found.push(addressFromBytes(inner));
  }
  // ISATAP (RFC 5214): the IPv4 address is in the interface id, with any prefix.
  if ((bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) {
    found.push(addressFromBytes(bytes.slice(12)));
  }
  return found;
}
