import type { Bus } from "./connect.ts";
import { batchBytes, packEntries } from "./pack.ts";
import { counter } from "../telemetry/metrics.ts";

const dropped = counter("sonde_live_dropped_total", "Live updates that could not be published", ["subject"]);

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
