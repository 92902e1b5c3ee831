/** A run that began and did not end yet. */
export type RunningRun = {
  runId?: string | undefined;
  sinceMs: number;
  /** It ran longer than it may, which was reported: its end is no success. */
  overdue?: boolean | undefined;
};

/** What is expected of a heartbeat, and what runs. Instants are the bus's clock, in epoch milliseconds. */
export type HeartbeatState = {
  /** The version of the definition that `dueMs` follows from. */
  version: number;
  /** When a run ended last, or an address was taken over: of `every` the next is due a period later. Null before. */
  anchorMs: number | null;
  /** When the next success is expected, and from when its absence is a failure. */
  dueMs: number;
  deadlineMs: number;
  /** How early it may come. */
  earlyMs: number;
  /** Until when a start must come; null: none must, or it came. */
  startByMs: number | null;
  /** Newest last. */
  running: RunningRun[];
  /** The ids of runs that ended last: a start that comes after its end begins nothing. */
  ended: string[];
  /** The ids of the newest calls: one that was stored twice counts once. */
  seen: string[];
  lastRun: { startedAtMs: number | null; durationMs: number | null; exitCode: number | null } | null;
  /** The newest slot of which a row exists. */
  lastSlotMs: number;
  /** Failures in a row. */
  failures: number;
};
