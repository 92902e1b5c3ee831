import { type EventId, formatEventId } from "./event-id.ts";

type Kept = { sequence: number; frame: Buffer | null };

/** The newest frames of EVENTS, for those who come back. */
export type Ring = ReturnType<typeof createRing>;

/** @param capacity how many frames are kept at least */
export function createRing(capacity: number) {
  let createdMs = 0;
  let kept: Kept[] = [];
  /** Everything after this sequence was seen, and is kept unless it was let go. */
  let floor = 0;
  let last = 0;

  return {
    /** Restarts for a stream with this creation, after this sequence. */
    reset(id: EventId): void {
      createdMs = id.createdMs;
      kept = [];
      floor = id.sequence;
      last = id.sequence;
    },
    /** Stores a frame; null for an event without one. */
    push(sequence: number, frame: Buffer | null): void {
      if (sequence <= last) return;
      last = sequence;
      kept.push({ sequence, frame });
      // Let go in large pieces: one by one would move the array at each frame.
      if (kept.length < capacity * 1.25) return;
      const dropped = kept.splice(0, kept.length - capacity);
      floor = dropped.at(-1)!.sequence;
    },
    /** The frames after an id; null where they are no longer known, or never were. */
    after(id: EventId): Buffer[] | null {
      if (id.createdMs !== createdMs || id.sequence < floor || id.sequence > last) return null;
      return kept.slice(indexAfter(kept, id.sequence)).flatMap(({ frame }) => frame ?? []);
    },
    createdMs: (): number => createdMs,
    lastId: (): string => formatEventId({ createdMs, sequence: last }),
    size: (): number => kept.length,
  };
}

/** The index of the first entry beyond a sequence. */
function indexAfter(kept: readonly Kept[], sequence: number): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (kept[middle]!.sequence <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
