import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];
/** How hard each encoding tries. */
export type Levels = Record<Encoding, number>;

/** Made at the first question for it, off the loop, and kept; null where it would not be smaller. */
export type Encoded = (encoding: Encoding) => Promise<Buffer | null>;

/** Less than this is not worth the trouble. */
export const smallestBytes = 1024;

export function encodedOnce(bytes: Buffer, levels: Levels): Encoded {
  const made = new Map<Encoding, Promise<Buffer | null>>();
  return (encoding) => {
    const underway = made.get(encoding) ?? compress(bytes, encoding, levels[encoding]);
    made.set(encoding, underway);
    return underway;
  };
}

async function compress(bytes: Buffer, encoding: Encoding, level: number): Promise<Buffer | null> {
  const encoded =
    encoding === "br"
      ? await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } })
      : await promisify(gzip)(bytes, { level });
  return encoded.length < bytes.length ? encoded : null;
}
