type Connection = { readonly info?: { max_payload: number } | undefined };

/** For headers and protocol overhead, which count as part of the message. */
const reserveBytes = 4 * 1024;
const defaultPayloadBytes = 1024 * 1024;
/** Larger messages would block a reader's event loop for longer and save nothing. */
const preferredBytes = 256 * 1024;

export function largestMessageBytes(nc: Connection): number {
  return (nc.info?.max_payload ?? defaultPayloadBytes) - reserveBytes;
}

export function batchBytes(nc: Connection): number {
  return Math.min(preferredBytes, largestMessageBytes(nc));
}

export type PackedMessage = { bytes: Uint8Array; entries: number };

/**
 * Packs entries in order. Each is a message with one element of a repeated field; concatenated, they parse as one
 * message. Entries above `maxBytes` are dropped and counted in `tooLarge`.
 */
export function packEntries(
  entries: readonly Uint8Array[],
  maxBytes: number,
): { messages: PackedMessage[]; tooLarge: number } {
  const messages: PackedMessage[] = [];
  let open: Uint8Array[] = [];
  let openBytes = 0;
  let tooLarge = 0;
  const close = () => {
    if (open.length > 0) messages.push({ bytes: Buffer.concat(open), entries: open.length });
    open = [];
    openBytes = 0;
  };
  for (const entry of entries) {
    if (entry.length > maxBytes) {
      tooLarge++;
      continue;
    }
    if (openBytes + entry.length > maxBytes) close();
    open.push(entry);
    openBytes += entry.length;
  }
  close();
  return { messages, tooLarge };
}
