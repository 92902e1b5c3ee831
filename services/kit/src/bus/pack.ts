/** What a connection knows of its server, as far as sizes go. */
type Connection = { readonly info?: { max_payload: number } | undefined };

/** For headers and what the client adds: they count as part of the message. */
const reserveBytes = 4 * 1024;
const defaultPayloadBytes = 1024 * 1024;
/** Larger messages would keep a reader's loop busy for longer, and save nothing. */
const preferredBytes = 256 * 1024;

/** The largest message that the server takes, headers left aside. */
export function largestMessageBytes(nc: Connection): number {
  return (nc.info?.max_payload ?? defaultPayloadBytes) - reserveBytes;
}

/** How large a message of many entries is made. */
export function batchBytes(nc: Connection): number {
  return Math.min(preferredBytes, largestMessageBytes(nc));
}

export type PackedMessage = { bytes: Uint8Array; entries: number };

/**
 * Joins encoded entries, in order, into messages of at most `maxBytes`. An entry is a whole message with one element of
 * a repeated field: protobuf parses concatenated ones as one with all elements. An entry that is too large by itself is
 * left out and counted.
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
