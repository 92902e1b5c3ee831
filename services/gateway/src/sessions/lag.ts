import type { Bus } from "@sonde/kit/bus/connect";
import type { Following } from "@sonde/kit/bus/follow";
import { startLoop } from "@sonde/kit/time/loop";
import { setTimeout as sleep } from "node:timers/promises";

type Written = { created: string; sequence: number };

const roundMs = 1000;
const settleMs = 300;

export async function readWritten(bus: Bus, stream: string): Promise<Written> {
  const { created, state } = await bus.jsm.streams.info(stream);
  return { created, sequence: state.last_seq };
}

/**
 * Detects a watch that lags behind its stream, which can happen even while the connection is healthy.
 * @param start the stream's end before the watch began; earlier messages may have been purged and are never delivered
 */
export function watchLag(bus: Bus, stream: string, following: Following, start: Written) {
  let isLagging = false;

  const isBehind = (written: Written): boolean => {
    const floor = following.created() === start.created ? start.sequence : 0;
    const seen = Math.max(floor, following.position()?.sequence ?? 0);
    return written.created !== following.created() || written.sequence > seen;
  };

  let before: Written | null = start;
  const check = async () => {
    // Everything written a round ago should have arrived.
    const wasSeen = before !== null && !isBehind(before);
    before = await readWritten(bus, stream).catch(() => null);
    isLagging = before === null || !wasSeen;
  };
  const checking = startLoop({ work: `lag of ${stream}`, everyMs: roundMs, run: check });

  return {
    isLagging: () => isLagging,
    /** Resolves when everything written so far has been received; gives up after a moment. */
    settle: async () => {
      const written = await readWritten(bus, stream).catch(() => null);
      const giveUpAtMs = performance.now() + settleMs;
      while (written !== null && isBehind(written) && performance.now() < giveUpAtMs) await sleep(2);
    },
    stop: () => void checking.stop(),
  };
}
