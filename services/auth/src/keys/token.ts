import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)]! + text;
  return text.padStart(length, "0");
}

/** `sonde_`, then 256 random bits and their CRC-32, both in base 62. Prefix and checksum help secret scanners. */
export function newKeyToken(): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString("hex")}`), 43);
  return `sonde_${random}${base62(BigInt(crc32(random)), 6)}`;
}

export const prefixOf = (token: string): string => token.slice(0, 12);
