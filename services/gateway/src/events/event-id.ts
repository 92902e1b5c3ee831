/** The position of a frame: the creation of its stream, epoch milliseconds, and its sequence. */
export type EventId = { createdMs: number; sequence: number };

/** `<stream created ms>-<sequence>`, the same on every gateway. */
export const formatEventId = ({ createdMs, sequence }: EventId): string => `${createdMs}-${sequence}`;

/** Null for what no gateway gave out. */
export function parseEventId(text: string): EventId | null {
  const [, created, sequence] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return created === undefined ? null : { createdMs: Number(created), sequence: Number(sequence) };
}
