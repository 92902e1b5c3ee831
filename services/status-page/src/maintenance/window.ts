/** What a window covers: ids, ascending order is not promised. */
export type WindowTargets = { monitorIds: number[]; agentIds: number[] };

/** The fields of a window that users set. */
export type WindowFields = WindowTargets & {
  name: string;
  /** Markdown; empty: none. */
  note: string;
  /** Of the first occurrence, epoch milliseconds. */
  startMs: number;
  endMs: number;
  timeZone: string;
  /** Empty: once. */
  rrule: string;
  isPublic: boolean;
};

/** A row of `windows`. */
export type Window = WindowFields & {
  id: number;
  /** Up to when its occurrences are known, by their beginning. */
  plannedUntilMs: number;
  createdAtMs: number;
  updatedAtMs: number;
};
