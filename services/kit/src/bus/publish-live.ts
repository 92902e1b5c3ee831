import type { Bus } from "./connect.ts";
import { batchBytes, packEntries } from "./pack.ts";
import { counter } from "../telemetry/metrics.ts";

const dropped = counter("sonde_live_dropped_total", "Live updates that could not be published", ["subject"]);

/**
 * Never throws: live figures are not stored, so those that cannot be sent are dropped, counted and logged. `encode`
 * returns a message with one element.
 */
export function publishLive<Item>(
  bus: Pick<Bus, "nc" | "connected" | "log">,
  { subject, items, encode, reply }: LiveItems<Item>,
): void {
  if (!bus.connected()) return;
  let lost = 0;
  let lastError: unknown;
  const attempt = (items: number, run: () => void) => {
    try {
      run();
    } catch (error) {
      lost += items;
      lastError = error;
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
  bus.log.warn({ err: lastError, subject, lost, tooLarge }, "live figures were dropped");
}

export type LiveItems<Item> = {
  subject: string;
  items: Iterable<Item>;
  encode: (item: Item) => Uint8Array;
  reply?: string;
};
