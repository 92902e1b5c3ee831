import type { Bus } from "@sonde/kit/bus/connect";
import type { Following } from "@sonde/kit/bus/follow";
import { startLoop } from "@sonde/kit/time/loop";
import { setTimeout as sleep } from "node:timers/promises";

/** What had been written to a stream at some instant. */
type Written = { created: string; sequence: number };

const roundMs = 1000;
const settleMs = 300;

export async function readWritten(bus: Bus, stream: string): Promise<Written> {
  const { created, state } = await bus.jsm.streams.info(stream);
  return { created, sequence: state.last_seq };
}

/**
 * Knows whether a watch of a stream keeps up with what is written to it: the connection may be well, and the watch
 * hang all the same. `start` is what had been written before the watch began; its newest messages may have been
 * purged since, and are then delivered to no one.
 */
export function watchLag(bus: Bus, stream: string, following: Following, start: Written) {
  let isLagging = false;

  const isBehind = (written: Written): boolean => {
    const floor = following.created() === start.created ? start.sequence : 0;
    const seen = Math.max(floor, following.position()?.sequence ?? 0);
    return written.created !== following.created() || written.sequence > seen;
  };

  let before: Written | null = start;
  const look = async () => {
    // A round ago is long enough for anything to arrive.
    const wasSeen = before !== null && !isBehind(before);
    before = await readWritten(bus, stream).catch(() => null);
    isLagging = before === null || !wasSeen;
  };
  const looking = startLoop({ work: `lag of ${stream}`, everyMs: roundMs, run: look });

  return {
    isLagging: () => isLagging,
    /** Resolves once everything that is written by now has been seen; gives up after a moment. */
    settle: async () => {
      const written = await readWritten(bus, stream).catch(() => null);
      const giveUpAtMs = performance.now() + settleMs;
      while (written !== null && isBehind(written) && performance.now() < giveUpAtMs) await sleep(2);
    },
    stop: () => void looking.stop(),
  };
}
