import { clipText } from "@sonde/kit/clip";
import { isUtf8 } from "node:buffer";

const maxShownBytes = 60;

/** What a peer sent, as a short text on one line; bytes that are no text by their number. */
export function excerpt(bytes: Buffer, maxBytes = maxShownBytes): string {
  const text = clipText(bytes.toString("utf8"), maxBytes).trim();
  return text === "" ? `${bytes.length} bytes` : text;
}

/** A header's value, of which Node makes a character of each byte, as UTF-8 where it is (RFC 9110 §5.5 leaves it open). */
export function utf8Of(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : value;
}
