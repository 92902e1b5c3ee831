import { createReadStream, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { elf } from "./formats/elf.ts";
import { machO } from "./formats/macho.ts";
import type { Format, FilePart } from "./formats/parts.ts";
import { pe } from "./formats/pe.ts";

/** Node's fuse, see "Single executable applications" in its documentation: if `1` follows, Node looks for a blob. */
const fuse = Buffer.from("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:0");
const formats: Record<string, Format> = { linux: elf, darwin: machO, win: pe };

/**
 * Writes the Node `base` with `blob` embedded. Streams, because Node's `--build-sea` and postject take 900 MiB.
 * @throws Error if the base is not a Node executable of the `system`, or does not have exactly one fuse
 */
export async function inject(input: { base: string; blob: Buffer; output: string; system: string }): Promise<void> {
  const format = formats[input.system];
  if (format === undefined) throw new Error(`No executable can be made for ${input.system}`);
  const base = await open(input.base);
  try {
    const read = (from: number, bytes: number) => {
      const piece = Buffer.alloc(bytes);
      if (readSync(base.fd, piece, 0, bytes, from) !== bytes) throw new Error("The base ends too early");
      return piece;
    };
    const parts = format(read, input.blob);
    const output = await open(input.output, "w", 0o755);
    try {
      const fuses = await write(output, input.base, parts);
      if (fuses.length !== 1) throw new Error(`The base has ${fuses.length} fuses; Node has one`);
      await output.write("1", fuses[0]! + fuse.length - 1);
    } finally {
      await output.close();
    }
  } finally {
    await base.close();
  }
}

/** Returns the positions of the fuse. */
async function write(output: FileHandle, base: string, parts: readonly FilePart[]): Promise<number[]> {
  const fuses: number[] = [];
  let position = 0;
  let tail = Buffer.alloc(0);
  for (const part of parts) {
    for await (const chunk of chunksOf(base, part)) {
      const text = Buffer.concat([tail, chunk]);
      for (let at = text.indexOf(fuse); at >= 0; at = text.indexOf(fuse, at + 1))
        fuses.push(position - tail.length + at);
      tail = text.subarray(Math.max(0, text.length - fuse.length + 1));
      await output.writeFile(chunk);
      position += chunk.length;
    }
  }
  return fuses;
}

const chunkBytes = 1024 * 1024;

function chunksOf(base: string, part: FilePart): AsyncIterable<Buffer> | Iterable<Buffer> {
  if (Buffer.isBuffer(part)) return [part];
  return part.to <= part.from
    ? []
    : createReadStream(base, { start: part.from, end: part.to - 1, highWaterMark: chunkBytes });
}
