export interface CheckMemory {
  /** Sets the check's current usage. Returns false, without a change, if the runner's budget is exhausted. */
  reserve(bytes: number): boolean;
  close(): void;
}

/** Every check may use this much, so that large responses never prevent others from reading small ones. */
const freeBytes = 64 * 1024;
const defaultTotalBytes = 64 * 1024 * 1024;

/** Bounds the memory that all checks of a runner use for responses that are not judged yet. */
export function createMemory(totalBytes = defaultTotalBytes) {
  let usedBytes = 0;
  return {
    open(): CheckMemory {
      let ownBytes = 0;
      return {
        reserve(bytes) {
          const counted = Math.max(0, bytes - freeBytes);
          if (counted > ownBytes && usedBytes + counted - ownBytes > totalBytes) return false;
          usedBytes += counted - ownBytes;
          ownBytes = counted;
          return true;
        },
        close() {
          usedBytes -= ownBytes;
          ownBytes = 0;
        },
      };
    },
    usedBytes: () => usedBytes,
  };
}
