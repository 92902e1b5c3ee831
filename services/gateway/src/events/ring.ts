/** The position of a frame: the creation of its stream, epoch milliseconds, and its sequence. */
export type EventId = { createdMs: number; sequence: number };

/** `<stream created ms>-<sequence>`, the same on every gateway. */
export const formatEventId = ({ createdMs, sequence }: EventId): string => `${createdMs}-${sequence}`;

/** Null for what no gateway gave out. */
export function parseEventId(text: string): EventId | null {
  const [, created, sequence] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return created === undefined ? null : { createdMs: Number(created), sequence: Number(sequence) };
}

/** The newest frames of EVENTS, for those who come back. @param capacity how many frames are kept */
export function createRing<Frame = Buffer>(capacity: number) {
  let createdMs = 0;
  let kept: { sequence: number; frame: Frame | null }[] = [];
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
    push(sequence: number, frame: Frame | null): void {
      if (sequence <= last) return;
      last = sequence;
      kept.push({ sequence, frame });
      if (kept.length > capacity) floor = kept.shift()!.sequence;
    },
    /** The frames after an id; null where they are no longer known, or never were. */
    after(id: EventId): Frame[] | null {
      if (id.createdMs !== createdMs || id.sequence < floor || id.sequence > last) return null;
      return kept.flatMap(({ sequence, frame }) => (sequence > id.sequence && frame !== null ? [frame] : []));
    },
    createdMs: (): number => createdMs,
    lastId: (): string => formatEventId({ createdMs, sequence: last }),
    size: (): number => kept.length,
  };
}
