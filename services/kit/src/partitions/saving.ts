import { partitions } from "@sonde/proto/subjects";
import type { Position } from "../bus/follow.ts";
import type { Clock } from "../time/clock.ts";

export type SavedState<Change> = {
  partition: number;
  /** How far the stream was read; null before the first message. */
  position: Position | null;
  changed: readonly Change[];
  /** What is kept from after this instant was kept before the clock was set back, and gives way. */
  nowMs: number;
};

export type PositionStore<Change> = {
  /** Keeps changes and position in one transaction. */
  save(saved: SavedState<Change>): Promise<void>;
  /** Up to this many changes are saved at each call, more of them only every `manyEveryMs`; absent: always all. */
  fewChanges?: number;
  /** Five seconds where absent. */
  manyEveryMs?: number;
};

/** What a partition has yet to keep: the newest change of each key, and how far its stream was read. */
export function createSaving<Change>(partition: number, clock: Clock) {
  let waiting = new Map<string | number, Change>();
  let savedSequence = -1;
  const openedAtMs = clock.elapsedMs();
  let savedAtMs: number | undefined;
  let isUrgent = false;
  return {
    /** @param soon with the next save, however many changes wait */
    keep(key: string | number, change: Change, soon = false): void {
      waiting.set(key, change);
      isUrgent ||= soon;
    },
    /** @param all however many changes wait, and however lately some were kept */
    async save(store: PositionStore<Change>, position: Position | null, all: boolean): Promise<void> {
      const { fewChanges = Infinity, manyEveryMs = 5_000 } = store;
      // Partitions take turns: all at once would hold up everything else meanwhile.
      savedAtMs ??= openedAtMs - (partition / partitions) * manyEveryMs;
      const mayWait = !all && !isUrgent && waiting.size > fewChanges;
      if (mayWait && clock.elapsedMs() - savedAtMs < manyEveryMs) return;
      savedAtMs = clock.elapsedMs();
      const sequence = position?.sequence ?? -1;
      if (waiting.size === 0 && sequence === savedSequence) return;
      const [saved, wasUrgent] = [waiting, isUrgent];
      waiting = new Map();
      isUrgent = false;
      try {
        await store.save({ partition, position, changed: [...saved.values()], nowMs: clock.now() });
        savedSequence = sequence;
      } catch (error) {
        for (const [key, change] of saved) if (!waiting.has(key)) waiting.set(key, change);
        isUrgent ||= wasUrgent;
        throw error;
      }
    },
  };
}
