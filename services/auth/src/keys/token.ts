import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A number in base 62, filled with zeros in front. */
function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)]! + text;
  return text.padStart(length, "0");
}

/**
 * The secret of a key: `sonde_`, 256 random bits and their CRC-32, both in base 62. The name in front and the checksum let
 * scanners of source code recognise one that was committed.
 */
export function newKeyToken(): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString("hex")}`), 43);
  return `sonde_${random}${base62(BigInt(crc32(random)), 6)}`;
}

/** What lists show of it. */
export const prefixOf = (token: string): string => token.slice(0, 12);
