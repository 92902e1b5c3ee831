import type { CheckMemory } from "../memory.ts";

const firstBytes = 16 * 1024;

/**
 * Keeps the beginning of a body in one buffer that grows: a million chunks of one byte cost no more than their bytes.
 * @param memory bounds what the checks of a runner keep together
 */
export function keepBytes(maxBytes: number, memory: CheckMemory | undefined) {
  // Most bodies arrive in one chunk, which needs no copy.
  let buffer: Buffer | undefined;
  let sizeBytes = 0;
  return {
    /** Keeps a chunk as far as there is room for it; false if the runner has no memory left. */
    append(chunk: Buffer): boolean {
      const needed = Math.min(maxBytes, sizeBytes + chunk.length);
      if (needed === sizeBytes) return true;
      if (buffer === undefined) {
        buffer = chunk.subarray(0, needed);
      } else {
        if (needed > buffer.length || sizeBytes === buffer.length) {
          const grownBytes = Math.min(maxBytes, Math.max(needed, sizeBytes * 2, firstBytes));
          if (memory?.hold(grownBytes) === false) return false;
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
