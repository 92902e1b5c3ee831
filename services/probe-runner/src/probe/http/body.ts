import type { IncomingHttpHeaders } from "node:http";
import { type Readable, Transform, type TransformCallback } from "node:stream";
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type Inflate,
} from "node:zlib";
import type { Sighting } from "../evidence.ts";
import type { Fault } from "../probe.ts";

/** How much of a body is wanted: nothing, its arrival, its arrival and its beginning for evidence, its text. */
export type WantedBody = "nothing" | "end" | "beginning" | "text";

/** How much of a body assertions may look at, decoded. */
export const maxTextBytes = 1024 * 1024;
/** How much is read, and decoded, of a body that is not used; one that announces more is not read at all. */
export const maxDrainBytes = 8 * 1024 * 1024;
/** How much is kept of the beginning of a body that is not used: as much as one read of a socket has. */
const maxBeginningBytes = 64 * 1024;
/** More codings of one body are not undone. */
const maxCodings = 4;

const decoders: Record<string, () => Transform> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => new AnyInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
};

/** `deflate` is the format of zlib (RFC 9110 §8.4.1.2), which some servers leave out; the first byte shows which. */
class AnyInflate extends Transform {
  #inflate: Inflate | undefined;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
    // RFC 1950 §2.2: the method 8 in the low bits.
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

const none: (() => Transform)[] = [];

/** What undoes a content encoding, the last coding first; undefined where one is not known, or there are too many. */
function decodersOf(encoding: string | undefined): (() => Transform)[] | undefined {
  if (encoding === undefined) return none;
  const codings = encoding.split(",", maxCodings + 2).map((coding) => coding.trim().toLowerCase());
  const applied = codings.filter((coding) => coding !== "" && coding !== "identity").toReversed();
  const known = applied.filter((coding) => Object.hasOwn(decoders, coding)).map((coding) => decoders[coding]!);
  return known.length === applied.length && known.length <= maxCodings ? known : undefined;
}

/** A message of HTTP/1.1, or a stream of HTTP/2; `complete` once it arrived whole. */
type Response = Readable & { headers: IncomingHttpHeaders; complete: boolean };
type Done = (text: string | Fault) => void;

/**
 * Reads a response's body, decoded and bounded, and calls `done` once: with its text if that is wanted, else with "", or
 * with the fault. Errors of the response itself reach the caller through its socket. Returns what comes of it, for
 * evidence, if its text or its beginning is wanted.
 */
export function readBody(response: Response, wanted: Exclude<WantedBody, "nothing">, done: Done): Sighting["body"] {
  const keep = wanted === "text";
  const limit = keep ? maxTextBytes : maxDrainBytes;
  const announced = Number(response.headers["content-length"]);
  if (announced > limit) {
    done(keep ? tooLarge(limit) : "");
    return undefined;
  }

  const encoding = response.headers["content-encoding"];
  const decode = decodersOf(encoding);
  if (keep && decode === undefined) {
    done({ kind: "protocol", message: `The content encoding ${encoding?.slice(0, 50)} is not known` });
    return undefined;
  }
  const chunks: Buffer[] = [];
  const opened: Transform[] = [];
  const end = (found: string | Fault) => {
    done(found);
    if (typeof found !== "string") for (const decoder of opened) decoder.destroy();
  };
  // Empty blocks cost time and yield nothing: the input, and the output of each coding, are bounded alike.
  const bounded = (stream: Readable) => {
    let bytes = 0;
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limit) end(tooLarge(limit));
    });
    return stream;
  };
  const last = (decode ?? none).reduce((source: Readable, open) => {
    const decoder = open();
    opened.push(decoder);
    decoder.on("error", () => end({ kind: "protocol", message: `The body is not valid ${encoding?.slice(0, 50)}` }));
    return bounded(source.pipe(decoder));
  }, bounded(response));
  let keptBytes = 0;
  if (wanted !== "end") {
    last.on("data", (chunk: Buffer) => {
      if (keep || keptBytes < maxBeginningBytes) chunks.push(chunk);
      keptBytes += chunk.length;
    });
  }
  const decodeText = (bytes: Buffer) => textOf(bytes, response.headers["content-type"]);
  last.on("end", () => end(keep ? decodeText(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)) : ""));
  response.on("close", () => {
    if (!response.complete) for (const decoder of opened) decoder.destroy();
  });
  return wanted === "end" ? undefined : { chunks, decode: decodeText };
}

function tooLarge(limit: number): Fault {
  return { kind: "protocol", message: `The body is larger than ${limit / 1024 / 1024} MiB` };
}

function textOf(bytes: Buffer, contentType = ""): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("utf8");
  }
}
