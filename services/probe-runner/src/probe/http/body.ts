import type { IncomingHttpHeaders } from "node:http";
import type { Readable, Transform } from "node:stream";
import type { Sighting } from "../evidence.ts";
import type { CheckMemory } from "../memory.ts";
import type { ProbeFailure } from "../probe.ts";
import { maxTextBytes } from "../assertions.ts";
import { type BodyDigest, digest } from "../traces.ts";
import { decodeBody } from "./charset.ts";
import { decodersOf, noDecoders } from "./codings.ts";
import { keepBytes } from "./kept-bytes.ts";

/** How much of a body is needed: nothing, its end, its end and its beginning (as evidence), or its text. */
export type BodyUse = "nothing" | "end" | "beginning" | "text";

/** Limit for reading and decoding an unused body. If a larger one is announced, it is not read at all. */
export const maxDrainBytes = 8 * 1024 * 1024;
/** Kept from the beginning of an unused body: the size of one socket read. */
const maxBeginningBytes = 64 * 1024;
const outOfMemory: ProbeFailure = { trouble: "no memory for another large body" };

/** An HTTP/1.1 message or HTTP/2 stream; `complete` is true after all of it arrived. */
type Response = Readable & { headers: IncomingHttpHeaders; complete: boolean };
type Done = (found: { text: string; isCut: boolean } | ProbeFailure) => void;

const unused = { text: "", isCut: false };

/**
 * Calls `done` once, with the decoded text if use (otherwise ""), or a failure. Stops at the bound. Errors of the
 * response itself reach the caller through its socket. Returns received data if evidence needs it.
 * @param digested what was decoded, up to the bound
 */
export function readBody(
  response: Response,
  use: Exclude<BodyUse, "nothing">,
  done: Done,
  memory?: CheckMemory,
  digested?: BodyDigest,
): Sighting["body"] {
  const isText = use === "text";
  const limit = isText ? maxTextBytes : maxDrainBytes;
  if (!isText && Number(response.headers["content-length"]) > limit) {
    done(unused);
    return undefined;
  }

  const encoding = response.headers["content-encoding"];
  const decode = decodersOf(encoding);
  if (isText && decode === undefined) {
    done({ kind: "protocol", message: `Unknown content encoding ${encoding?.slice(0, 50)}` });
    return undefined;
  }
  // The check's previous response has been judged, so release its memory.
  memory?.reserve(0);
  const decodeText = (bytes: Buffer) => decodeBody(bytes, response.headers["content-type"]);
  const kept = use === "end" ? undefined : keepBytes(isText ? limit : maxBeginningBytes, memory);
  const opened: Transform[] = [];
  let isOver = false;
  const end = (failure?: ProbeFailure, isCut = false) => {
    if (isOver) return;
    isOver = true;
    done(failure ?? (isText && kept !== undefined ? { text: decodeText(kept.bytes()), isCut } : unused));
    for (const decoder of opened) decoder.destroy();
  };
  // Bound the input and each decoder's output: empty compressed blocks cost time without producing output.
  const boundary = (keep?: (chunk: Buffer) => boolean) => {
    let bytes = 0;
    return (chunk: Buffer) => {
      if (isOver) return;
      bytes += chunk.length;
      if (keep?.(chunk) === false) end(outOfMemory);
      else if (bytes > limit) end(undefined, true);
    };
  };
  const openers = decode ?? noDecoders;
  let last: Readable = response;
  for (const open of openers) {
    const decoder = open();
    opened.push(decoder);
    decoder.on("error", () => end({ kind: "protocol", message: `The body is not valid ${encoding?.slice(0, 50)}` }));
    feed(last, decoder, boundary(), end);
    last = decoder;
  }
  const keep = boundary(kept?.append);
  last.on("data", (chunk: Buffer) => {
    if (digested !== undefined && !isOver) digest(digested, chunk);
    keep(chunk);
  });
  last.on("end", () => {
    if (digested !== undefined) digested.isWhole = !isOver;
    end();
  });
  response.on("close", () => {
    if (!response.complete) for (const decoder of opened) decoder.destroy();
  });
  if (kept === undefined) return undefined;
  return {
    get chunks() {
      return [kept.bytes()];
    },
    decode: decodeText,
  };
}

/** Writes all that arrived in one turn at once: each write is a thread pool job. An empty body is not decoded. */
function feed(source: Readable, decoder: Transform, onChunk: (chunk: Buffer) => void, onEmpty: () => void): void {
  let isEmpty = true;
  const pump = () => {
    for (let chunk: Buffer | null; !decoder.destroyed && (chunk = readAll(source)) !== null;) {
      isEmpty = false;
      onChunk(chunk);
      if (decoder.destroyed || decoder.write(chunk)) continue;
      source.off("readable", pump);
      decoder.once("drain", () => {
        source.on("readable", pump);
        pump();
      });
      return;
    }
  };
  source.on("readable", pump);
  source.once("end", () => (isEmpty ? onEmpty() : decoder.end()));
}

const readAll = (source: Readable): Buffer | null => source.read(source.readableLength || undefined) as Buffer | null;
