import { isUtf8 } from "node:buffer";

/** A header's value, of which Node makes a character of each byte, as UTF-8 where it is (RFC 9110 §5.5 leaves it open). */
export function utf8Of(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : value;
}
