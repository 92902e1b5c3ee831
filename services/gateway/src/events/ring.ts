/** `createdMs` is the creation time of the stream, in epoch milliseconds. */
export type EventId = { createdMs: number; sequence: number };

/** `<stream created ms>-<sequence>`: the same on every gateway. */
export const formatEventId = ({ createdMs, sequence }: EventId): string => `${createdMs}-${sequence}`;

export function parseEventId(text: string): EventId | null {
  const [, created, sequence] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return created === undefined ? null : { createdMs: Number(created), sequence: Number(sequence) };
}

/** Keeps the newest frames for clients that reconnect. */
export function createRing<Frame = Buffer>(capacity: number) {
  let createdMs = 0;
  let entries: { sequence: number; frame: Frame | null }[] = [];
  /** Frames up to this sequence are not available. */
  let floor = 0;
  let last = 0;

  return {
    reset(id: EventId): void {
      createdMs = id.createdMs;
      entries = [];
      floor = id.sequence;
      last = id.sequence;
    },
    push(sequence: number, frame: Frame | null): void {
      if (sequence <= last) return;
      last = sequence;
      entries.push({ sequence, frame });
      if (entries.length > capacity) floor = entries.shift()!.sequence;
    },
    /** `null` if frames after this id are no longer available. */
    after(id: EventId): Frame[] | null {
      if (id.createdMs !== createdMs || id.sequence < floor || id.sequence > last) return null;
      return entries.flatMap(({ sequence, frame }) => (sequence > id.sequence && frame !== null ? [frame] : []));
    },
    createdMs: (): number => createdMs,
    lastId: (): string => formatEventId({ createdMs, sequence: last }),
    size: (): number => entries.length,
  };
}
