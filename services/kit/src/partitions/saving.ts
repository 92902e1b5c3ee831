import { partitions } from "@sonde/proto/subjects";
import type { Position } from "../bus/follow.ts";
import type { Clock } from "../time/clock.ts";

export type Saved<Change> = {
  partition: number;
  /** How far the stream was read; null before the first message. */
  position: Position | null;
  changed: readonly Change[];
  /** What is kept from after this instant was kept before the clock was set back, and gives way. */
  nowMs: number;
};

export type Store<Change> = {
  /** Keeps changes and position in one transaction. */
  save(saved: Saved<Change>): Promise<void>;
  /** Up to so many changes are kept at each call, more of them only every five seconds; absent: always all. */
  fewChanges?: number;
};

const allEveryMs = 5_000;

/** What a partition has yet to keep: the newest change of each key, and how far its stream was read. */
export function createSaving<Change>(partition: number, clock: Clock) {
  let waiting = new Map<string | number, Change>();
  let savedSequence = -1;
  // Partitions take turns: all at once would hold up everything else meanwhile.
  let savedAtMs = clock.elapsedMs() - (partition / partitions) * allEveryMs;
  return {
    keep: (key: string | number, change: Change): void => void waiting.set(key, change),
    /** @param all however many changes wait, and however lately some were kept */
    async save(store: Store<Change>, position: Position | null, all: boolean): Promise<void> {
      const isMuch = waiting.size > (store.fewChanges ?? Infinity);
      if (!all && isMuch && clock.elapsedMs() - savedAtMs < allEveryMs) return;
      savedAtMs = clock.elapsedMs();
      const sequence = position?.sequence ?? -1;
      if (waiting.size === 0 && sequence === savedSequence) return;
      const saved = waiting;
      waiting = new Map();
      try {
        await store.save({ partition, position, changed: [...saved.values()], nowMs: clock.now() });
        savedSequence = sequence;
      } catch (error) {
        for (const [key, change] of saved) if (!waiting.has(key)) waiting.set(key, change);
        throw error;
      }
    },
  };
}
