import { clipText } from "@sonde/kit/clip";
import { isUtf8 } from "node:buffer";

const maxShownBytes = 60;

/** Shortens received bytes to one line of text; binary data becomes a byte count. */
export function excerpt(bytes: Buffer, maxBytes = maxShownBytes): string {
  const text = clipText(bytes.toString("utf8"), maxBytes).trim();
  return text === "" ? `${bytes.length} bytes` : text;
}

/** Decodes a header value, which Node returns as Latin-1, as UTF-8 if valid (RFC 9110 §5.5 does not define it). */
export function utf8Of(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : value;
}
