import type { StreamSpec } from "@sonde/proto/streams";
import type { gauge } from "../telemetry/metrics.ts";
import { startLoop } from "../time/loop.ts";
import type { Bus } from "./connect.ts";

const highShare = 0.8;
/** Nothing fills the rest of the stream within ten seconds. */
const lowShare = 0.1;
const [lowEveryMs, everyMs] = [10_000, 2_000];

/**
 * The share of a stream's bound that its slowest reader has yet to read; all of its content without a reader. Messages
 * that were read may be dropped when the stream is full: only unread ones would be lost.
 */
export function unreadShare(
  { bytes, messages, maxBytes }: { bytes: number; messages: number; maxBytes: number },
  pending: readonly number[],
): number {
  if (messages === 0 || maxBytes <= 0) return 0;
  const unread = pending.length === 0 ? messages : Math.max(...pending);
  return (bytes * Math.min(1, unread / messages)) / maxBytes;
}

/**
 * Whether a stream still has room for what no reader has read. Looks every two seconds, or every ten where almost everything
 * is read.
 * @param share shows the figure
 */
export function watchPressure(bus: Bus, { name }: StreamSpec, share: ReturnType<typeof gauge>) {
  let high = false;
  let isLow = false;
  const look = async () => {
    const { state, config } = await bus.jsm.streams.info(name);
    const pending: number[] = [];
    // Those who read on their own from positions that they keep have no durable, and are not seen here.
    for await (const consumer of bus.jsm.consumers.list(name)) {
      if (consumer.config.durable_name !== undefined) pending.push(consumer.num_pending + consumer.num_ack_pending);
    }
    const now = unreadShare({ bytes: state.bytes, messages: state.messages, maxBytes: config.max_bytes }, pending);
    share.set(now);
    isLow = now < lowShare;
    if (now >= highShare !== high) {
      bus.log.warn(
        { share: now, stream: name },
        now >= highShare ? "a stream is nearly full: senders are asked to wait" : "a stream has room again",
      );
    }
    high = now >= highShare;
  };
  const looking = startLoop({
    work: `looking how full ${name} is`,
    everyMs: () => (isLow ? lowEveryMs : everyMs),
    run: () => (bus.connected() ? look() : undefined),
  });
  looking.nudge();
  return { isHigh: () => high, stop: () => void looking.stop() };
}
