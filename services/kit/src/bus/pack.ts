import type { Bus } from "./connect.ts";
import { counter } from "../telemetry/metrics.ts";

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

const dropped = counter("sonde_live_dropped_total", "Live figures that could not be told", ["subject"]);

/**
 * Publishes live figures in messages that fit the bus. `encode` makes a whole message with one element from one item.
 * Never throws: live figures are not stored, so what cannot be sent is dropped, counted and logged.
 */
export function publishLive<Item>(
  bus: Pick<Bus, "nc" | "connected" | "log">,
  { subject, items, encode, reply }: LiveItems<Item>,
): void {
  if (!bus.connected()) return;
  let lost = 0;
  let fault: unknown;
  const attempt = (items: number, run: () => void) => {
    try {
      run();
    } catch (error) {
      lost += items;
      fault = error;
    }
  };
  const entries: Uint8Array[] = [];
  for (const item of items) attempt(1, () => entries.push(encode(item)));
  const { messages, tooLarge } = packEntries(entries, batchBytes(bus.nc));
  lost += tooLarge;
  for (const { bytes, entries: count } of messages) {
    attempt(count, () => bus.nc.publish(subject, bytes, reply === undefined ? {} : { reply }));
  }
  if (lost === 0) return;
  dropped.inc({ subject }, lost);
  bus.log.warn({ err: fault, subject, lost, tooLarge }, "live figures were dropped");
}

export type LiveItems<Item> = {
  subject: string;
  items: Iterable<Item>;
  encode: (item: Item) => Uint8Array;
  /** Travels as the message's reply subject. */
  reply?: string;
};
