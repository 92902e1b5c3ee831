import { Transform, type TransformCallback } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type Inflate,
} from "node:zlib";

/** Default Accept-Encoding: codings that every server supports. */
export const acceptedCodings = "gzip, deflate, br";
const maxCodings = 4;
/** Window limit of the zstd content coding (RFC 9659): 8 MiB. */
const zstdWindow = { [constants.ZSTD_d_windowLogMax]: 23 };

type OpenDecoder = () => Transform;

const decoders: Record<string, OpenDecoder> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => new AnyInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: zstdWindow }),
};

/** `deflate` means zlib format (RFC 9110 §8.4.1.2), but some servers send raw deflate; the first byte shows which. */
class AnyInflate extends Transform {
  #inflate: Inflate | undefined;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
    // RFC 1950 §2.2: compression method 8 in the low bits.
    this.#inflate ??= this.#start((chunk[0]! & 15) === 8 ? createInflate() : createInflateRaw());
    this.#inflate.write(chunk, () => done());
  }

  override _flush(done: TransformCallback) {
    if (this.#inflate === undefined) return done();
    this.#inflate.once("end", () => done());
    this.#inflate.end();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    this.#inflate?.destroy();
    done(error);
  }

  #start(inflate: Inflate): Inflate {
    inflate.on("data", (chunk: Buffer) => this.push(chunk));
    inflate.on("error", (error) => this.destroy(error));
    return inflate;
  }
}

export const noDecoders: OpenDecoder[] = [];

/** Returns decoders for a content encoding, last coding first; `undefined` if one is unknown or there are too many. */
export function decodersOf(encoding: string | undefined): OpenDecoder[] | undefined {
  if (encoding === undefined) return noDecoders;
  const codings = encoding.split(",", maxCodings + 2).map((coding) => coding.trim().toLowerCase());
  const applied = codings.filter((coding) => coding !== "" && coding !== "identity").toReversed();
  const known = applied.filter((coding) => Object.hasOwn(decoders, coding)).map((coding) => decoders[coding]!);
  return known.length === applied.length && known.length <= maxCodings ? known : undefined;
}
