import { type Address, addressOf, type Cidr, contains, parseCidr } from "../addresses.ts";

const cidr = (text: string): Cidr => {
  const range = parseCidr(text);
  if (range === undefined) throw new Error(`${text} is not a range of addresses`);
  return range;
};

/** Where in the sixteen bytes an IPv6 address of this kind carries an IPv4 address. */
interface Carrier {
  range: Cidr;
  at: readonly [number, number, number, number];
  inverted?: boolean;
  /** The range also holds addresses of other forms, which read as 0.x here. */
  otherForms?: boolean;
}
const carriers: readonly Carrier[] = [
  { range: cidr("::ffff:0:0/96"), at: [12, 13, 14, 15] }, // IPv4-mapped (RFC 4291)
  { range: cidr("::/96"), at: [12, 13, 14, 15] }, // IPv4-compatible (RFC 4291, deprecated)
  { range: cidr("::ffff:0:0:0/96"), at: [12, 13, 14, 15] }, // IPv4-translated (RFC 2765)
  { range: cidr("64:ff9b::/96"), at: [12, 13, 14, 15] }, // NAT64 (RFC 6052)
  { range: cidr("64:ff9b:1::/48"), at: [6, 7, 9, 10], otherForms: true }, // local NAT64 (RFC 8215), /48 form
  { range: cidr("64:ff9b:1::/48"), at: [12, 13, 14, 15] }, // the same, with a prefix of 96 bits
  { range: cidr("2002::/16"), at: [2, 3, 4, 5] }, // 6to4 (RFC 3056)
  { range: cidr("2001::/32"), at: [12, 13, 14, 15], inverted: true }, // Teredo (RFC 4380)
];
const ownMeaning: readonly Cidr[] = [cidr("::1"), cidr("::")];

/** The IPv4 addresses that an IPv6 address may end up at through translation or tunnels. */
export function embeddedIpv4(address: Address): Address[] {
  if (ownMeaning.some((range) => contains(range, address))) return [];
  const bytes = address.toByteArray();
  const found: Address[] = [];
  for (const { range, at, inverted, otherForms } of carriers) {
    if (!contains(range, address)) continue;
    const inner = at.map((index) => bytes[index]! ^ (inverted ? 0xff : 0));
    if (!otherForms || inner[0] !== 0) found.push(addressOf(inner));
  }
  // ISATAP (RFC 5214) keeps the IPv4 address in an interface id of any prefix.
  if ((bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) {
    found.push(addressOf(bytes.slice(12)));
  }
  return found;
}
