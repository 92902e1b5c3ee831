import type { Bus } from "./connect.ts";
import { scrapedGauge } from "../telemetry/metrics.ts";

const lag = scrapedGauge(
  "sonde_stream_lag_messages",
  "Messages of a stream that a reader has not handled: owners of partitions tell of their own, others of all",
  ["stream", "reader"],
);

/**
 * Reports how far this process is behind on a stream, until the returned function is called.
 * @param behind messages that it has yet to handle; null if unknown
 */
export function reportStreamLag(bus: Bus, stream: string, behind: () => Promise<number | null>): () => void {
  return lag(async () => {
    const value = bus.connected() ? await behind() : null;
    return value === null ? [] : [{ labels: { stream, reader: bus.name }, value }];
  });
}
