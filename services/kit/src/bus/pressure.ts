import type { StreamSpec } from "@sonde/proto/streams";
import type { gauge } from "../telemetry/metrics.ts";
import { startLoop } from "../time/loop.ts";
import type { Bus } from "./connect.ts";

const highShare = 0.8;
/** Low enough that the stream cannot fill up within ten seconds. */
const lowShare = 0.1;
const [lowEveryMs, everyMs] = [10_000, 2_000];

/**
 * Share of a stream's size limit that its slowest reader has not read. A full stream drops its oldest messages, so only
 * unread ones would be lost.
 */
export function unreadShare(
  { bytes, messages, maxBytes }: { bytes: number; messages: number; maxBytes: number },
  pending: readonly number[],
): number {
  if (messages === 0 || maxBytes <= 0) return 0;
  const unread = pending.length === 0 ? messages : Math.max(...pending);
  return (bytes * Math.min(1, unread / messages)) / maxBytes;
}

/** Checks every two seconds, or every ten while nearly everything is read. */
export function watchPressure(bus: Bus, { name }: StreamSpec, share: ReturnType<typeof gauge>) {
  let high = false;
  let isLow = false;
  const look = async () => {
    const { state, config } = await bus.jsm.streams.info(name);
    const pending: number[] = [];
    // Readers that store their own positions have no durable consumer.
    for await (const consumer of bus.jsm.consumers.list(name)) {
      if (consumer.config.durable_name !== undefined) pending.push(consumer.num_pending + consumer.num_ack_pending);
    }
    const now = unreadShare({ bytes: state.bytes, messages: state.messages, maxBytes: config.max_bytes }, pending);
    share.set(now);
    isLow = now < lowShare;
    if (now >= highShare !== high) {
      bus.log.warn(
        { share: now, stream: name },
        now >= highShare ? "a stream is nearly full; senders must wait" : "a stream has room again",
      );
    }
    high = now >= highShare;
  };
  const looking = startLoop({
    work: `watching the fill level of ${name}`,
    everyMs: () => (isLow ? lowEveryMs : everyMs),
    run: () => (bus.connected() ? look() : undefined),
  });
  looking.nudge();
  return { isHigh: () => high, stop: () => void looking.stop() };
}
