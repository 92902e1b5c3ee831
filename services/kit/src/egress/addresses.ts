import { isIP } from "node:net";

/** A range of addresses; `bytes` has 4 (IPv4) or 16 (IPv6) of them. */
export interface Cidr {
  bytes: Uint8Array;
  prefixBits: number;
}

/**
 * The bytes of an IPv4 or IPv6 address in its textual form, without zone id.
 * Undefined for anything that is no address.
 */
export function parseAddress(text: string): Uint8Array | undefined {
  switch (isIP(text)) {
    case 4:
      return Uint8Array.from(text.split("."), Number);
    case 6:
      return text.includes("%") ? undefined : parseIpv6(text);
    default:
      return undefined;
  }
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a bare address, which means itself alone. Undefined where it is neither. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = "", prefix, ...rest] = text.trim().split("/");
  const bytes = parseAddress(address);
  if (bytes === undefined || rest.length > 0) return undefined;
  const width = bytes.length * 8;
  if (prefix === undefined) return { bytes, prefixBits: width };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > width) return undefined;
  return { bytes, prefixBits: Number(prefix) };
}

/** Whether the address lies in the range; families never match each other. */
export function contains({ bytes, prefixBits }: Cidr, address: Uint8Array): boolean {
  if (bytes.length !== address.length) return false;
  const whole = prefixBits >> 3;
  for (let i = 0; i < whole; i++) if (bytes[i] !== address[i]) return false;
  const restMask = (0xff00 >> (prefixBits & 7)) & 0xff;
  return restMask === 0 || ((bytes[whole] ?? 0) & restMask) === ((address[whole] ?? 0) & restMask);
}

// The caller has asked isIP, so the text is well formed: at most one `::`, at most one dotted tail.
function parseIpv6(text: string): Uint8Array {
  const [head = "", tail] = text.split("::");
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const bytes = new Uint8Array(16);
  bytes.set(front);
  bytes.set(back, 16 - back.length);
  return bytes;
}

function groups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
