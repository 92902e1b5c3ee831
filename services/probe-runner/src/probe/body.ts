import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Fault } from "./outcome.ts";

/** How much of a body assertions may look at, decoded. */
export const maxTextBytes = 1024 * 1024;
/** How much is read, and decoded, of a body that nobody looks at; one that announces more is not read at all. */
export const maxDrainBytes = 8 * 1024 * 1024;

const decoders: Record<string, () => Transform> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
};

type Done = (text: string | Fault) => void;

/**
 * Reads a response's body, decoded and bounded, and calls `done` once: with its text if `keep`, else with "", or with
 * the fault. Errors of the response itself reach the caller through its socket.
 */
export function readBody(response: IncomingMessage, keep: boolean, done: Done): void {
  const limit = keep ? maxTextBytes : maxDrainBytes;
  const announced = Number(response.headers["content-length"]);
  if (announced > limit) return done(keep ? tooLarge(limit) : "");

  const encoding = response.headers["content-encoding"]?.trim().toLowerCase();
  const decode = encoding === undefined || encoding === "identity" ? undefined : decoders[encoding];
  if (keep && encoding !== undefined && encoding !== "identity" && decode === undefined) {
    return done({ kind: "protocol", message: `The content encoding ${encoding.slice(0, 50)} is not known` });
  }
  const chunks: Buffer[] = [];
  let decodedBytes = 0;
  const take = (chunk: Buffer) => {
    decodedBytes += chunk.length;
    if (decodedBytes > limit) return done(tooLarge(limit));
    if (keep) chunks.push(chunk);
  };
  const finish = () => done(keep ? textOf(chunks, response.headers["content-type"]) : "");

  if (decode === undefined) {
    response.on("data", take);
    response.on("end", finish);
    return;
  }
  const decoder = decode();
  let wireBytes = 0;
  response.on("data", (chunk: Buffer) => {
    // Empty blocks cost time and yield nothing: what comes in is bounded as well.
    wireBytes += chunk.length;
    if (wireBytes > limit) done(tooLarge(limit));
  });
  decoder.on("data", (chunk: Buffer) => {
    take(chunk);
    if (decodedBytes > limit) decoder.destroy();
  });
  decoder.on("end", finish);
  decoder.on("error", () => done({ kind: "protocol", message: `The body is not valid ${encoding}` }));
  response.on("close", () => {
    if (!response.complete) decoder.destroy();
  });
  response.pipe(decoder);
}

function tooLarge(limit: number): Fault {
  return { kind: "protocol", message: `The body is larger than ${limit / 1024 / 1024} MiB` };
}

function textOf(chunks: Buffer[], contentType = ""): string {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("utf8");
  }
}
