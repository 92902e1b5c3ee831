import type { CheckMemory } from "../memory.ts";

const firstBytes = 16 * 1024;

/** Collects a body's beginning in one growing buffer, so that a million one-byte chunks stay cheap. */
export function keepBytes(maxBytes: number, memory: CheckMemory | undefined) {
  // Most bodies arrive in one chunk, which needs no copy.
  let buffer: Buffer | undefined;
  let sizeBytes = 0;
  return {
    /** Appends as much of a chunk as fits; false if the runner's memory budget is exhausted. */
    append(chunk: Buffer): boolean {
      const needed = Math.min(maxBytes, sizeBytes + chunk.length);
      if (needed === sizeBytes) return true;
      if (buffer === undefined) {
        buffer = chunk.subarray(0, needed);
      } else {
        if (needed > buffer.length || sizeBytes === buffer.length) {
          const grownBytes = Math.min(maxBytes, Math.max(needed, sizeBytes * 2, firstBytes));
          if (memory?.reserve(grownBytes) === false) return false;
          const grown = Buffer.allocUnsafe(grownBytes);
          buffer.copy(grown, 0, 0, sizeBytes);
          buffer = grown;
        }
        chunk.copy(buffer, sizeBytes, 0, needed - sizeBytes);
      }
      sizeBytes = needed;
      return true;
    },
    bytes: () => buffer?.subarray(0, sizeBytes) ?? Buffer.alloc(0),
  };
}
