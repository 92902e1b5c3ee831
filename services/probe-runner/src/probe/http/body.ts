import type { IncomingHttpHeaders } from "node:http";
import type { Readable, Transform } from "node:stream";
import type { Sighting } from "../evidence.ts";
import type { CheckMemory } from "../memory.ts";
import type { Fault } from "../probe.ts";
import { maxTextBytes } from "../assertions.ts";
import { decodeBody } from "./charset.ts";
import { decodersOf, noDecoders } from "./codings.ts";
import { keepBytes } from "./kept-bytes.ts";

/** How much of a body is wanted: nothing, its arrival, its arrival and its beginning for evidence, its text. */
export type WantedBody = "nothing" | "end" | "beginning" | "text";

/** How much is read, and decoded, of a body that is not used; one that announces more is not read at all. */
export const maxDrainBytes = 8 * 1024 * 1024;
/** How much is kept of the beginning of a body that is not used: as much as one read of a socket has. */
const maxBeginningBytes = 64 * 1024;
const outOfMemory: Fault = { trouble: "no memory for another large body" };

/** A message of HTTP/1.1, or a stream of HTTP/2; `complete` once it arrived whole. */
type Response = Readable & { headers: IncomingHttpHeaders; complete: boolean };
/** `isCut`: the body is longer than the text. */
type Done = (found: { text: string; isCut: boolean } | Fault) => void;

const unused = { text: "", isCut: false };

/**
 * Reads a response's body, decoded and bounded, and calls `done` once: with its text if that is wanted, else with "", or
 * with the fault. A body beyond the bounds ends there. Errors of the response itself reach the caller through its socket.
 * Returns what comes of it, for evidence, if its text or its beginning is wanted.
 */
export function readBody(
  response: Response,
  wanted: Exclude<WantedBody, "nothing">,
  done: Done,
  memory?: CheckMemory,
): Sighting["body"] {
  const isText = wanted === "text";
  const limit = isText ? maxTextBytes : maxDrainBytes;
  if (!isText && Number(response.headers["content-length"]) > limit) {
    done(unused);
    return undefined;
  }

  const encoding = response.headers["content-encoding"];
  const decode = decodersOf(encoding);
  if (isText && decode === undefined) {
    done({ kind: "protocol", message: `The content encoding ${encoding?.slice(0, 50)} is not known` });
    return undefined;
  }
  // What an earlier answer of this check held is judged by now.
  memory?.hold(0);
  const decodeText = (bytes: Buffer) => decodeBody(bytes, response.headers["content-type"]);
  const kept = wanted === "end" ? undefined : keepBytes(isText ? limit : maxBeginningBytes, memory);
  const opened: Transform[] = [];
  let isOver = false;
  const end = (fault?: Fault, isCut = false) => {
    if (isOver) return;
    isOver = true;
    done(fault ?? (isText && kept !== undefined ? { text: decodeText(kept.bytes()), isCut } : unused));
    for (const decoder of opened) decoder.destroy();
  };
  // Empty blocks cost time and yield nothing: the input, and the output of each coding, are bounded alike.
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
  last.on("data", boundary(kept?.append));
  last.on("end", () => end());
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

/**
 * Writes into a decoder what came in one turn at once: each write is a job of a thread, however small it is. A body that
 * is empty, as the answer to HEAD, is no coded one.
 */
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

/** All that is buffered, as one chunk; null if there is nothing. */
const readAll = (source: Readable): Buffer | null => source.read(source.readableLength || undefined) as Buffer | null;
