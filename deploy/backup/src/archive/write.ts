import { createHash } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { pack as openPack } from "tar-stream";
import { keyName, type Manifest, manifestName, type Part, sliceBytes, sliceName } from "./manifest.ts";

export type ArchiveWriter = {
  /** Must be called before `add`. Returns the key's SHA-256. */
  addKey(key: string): Promise<string>;
  /** Writes a zstd stream in slices, then calls `rows`. */
  add(name: string, body: Readable, rows: () => Part["rows"]): Promise<void>;
  finish(manifest: Omit<Manifest, "parts">): Promise<void>;
  abort(fault: Error): void;
};

/** Streams an archive as plain tar. Only one slice is in memory. */
export function writeArchive(to: Writable): ArchiveWriter {
  const pack = openPack();
  const written = pipeline(pack, to);
  // Each write below rejects with this error.
  written.catch(() => {});
  pack.on("error", () => {});
  to.on("error", () => {});
  const parts: Part[] = [];
  const member = async (name: string, bytes: Buffer): Promise<string> => {
    const stored = new Promise<void>((resolve, reject) => {
      const entry = pack.entry({ name, size: bytes.length, mode: 0o600, mtime: new Date() }, bytes, (fault) =>
        fault ? reject(fault) : resolve(),
      );
      entry.on("error", reject);
    });
    // `stored` never settles after the destination failed.
    await Promise.race([stored, written]);
    return sha256(bytes);
  };
  return {
    addKey: (key) => member(keyName, Buffer.from(key)),
    async add(name, body, rows) {
      const slices: Part["slices"] = [];
      for await (const slice of slicesOf(body)) {
        slices.push({ bytes: slice.length, sha256: await member(sliceName(name, slices.length), slice) });
      }
      parts.push({ name, slices, rows: rows() });
    },
    async finish(manifest) {
      await member(manifestName, Buffer.from(`${JSON.stringify({ ...manifest, parts }, null, 1)}\n`));
      pack.finalize();
      await written;
    },
    abort: (fault) => pack.destroy(fault),
  };
}

async function* slicesOf(body: Readable): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (let from = 0; from < chunk.length;) {
      const piece = chunk.subarray(from, from + sliceBytes - size);
      waiting.push(piece);
      size += piece.length;
      from += piece.length;
      if (size < sliceBytes) continue;
      yield Buffer.concat(waiting);
      [waiting, size] = [[], 0];
    }
  }
  if (size > 0) yield Buffer.concat(waiting);
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
