import { clipText } from "@sonde/kit/clip";

const maxShownBytes = 60;

/** What a peer sent, as a short text on one line; bytes that are no text by their number. */
export function excerpt(bytes: Buffer): string {
  const text = clipText(bytes.toString("utf8"), maxShownBytes).trim();
  return text === "" ? `${bytes.length} bytes` : text;
}
