/** What one check holds of answers. */
export interface CheckMemory {
  /** Sets how many bytes the check holds now. False if the runner has no room for them; nothing changes then. */
  hold(bytes: number): boolean;
  /** Gives all of it back. */
  close(): void;
}

/** Every check may hold this much: large answers of some never keep others from reading small ones. */
const freeBytes = 64 * 1024;
const defaultTotalBytes = 64 * 1024 * 1024;

/** Bounds what the checks of one runner hold of answers together, until these are judged. */
export function createMemory(totalBytes = defaultTotalBytes) {
  let heldBytes = 0;
  return {
    open(): CheckMemory {
      let ownBytes = 0;
      return {
        hold(bytes) {
          const counted = Math.max(0, bytes - freeBytes);
          if (counted > ownBytes && heldBytes + counted - ownBytes > totalBytes) return false;
          heldBytes += counted - ownBytes;
          ownBytes = counted;
          return true;
        },
        close() {
          heldBytes -= ownBytes;
          ownBytes = 0;
        },
      };
    },
    heldBytes: () => heldBytes,
  };
}
