import type { FactName } from "@sonde/proto/http/monitors/pings";

export type RunningRun = {
  runId?: string | undefined;
  sinceMs: number;
  /** The run exceeded its maximum duration, so its end does not count as a success. */
  overdue?: boolean | undefined;
};

/** Due times and current runs of a heartbeat. All times are epoch ms by the bus's clock. */
export type HeartbeatState = {
  version: number;
  /** End of the last run or time of an import. With `every` the next run is due one period later. `null` before. */
  anchorMs: number | null;
  dueMs: number;
  deadlineMs: number;
  /** How long before `dueMs` a success counts. */
  earlyMs: number;
  /** Deadline for a start ping; `null` if none is required or it has arrived. */
  startByMs: number | null;
  /** Newest last. */
  running: RunningRun[];
  /** Ids of recent runs: a start ping that arrives after the end of its run is ignored. */
  ended: string[];
  /** Ids of the newest pings, to ignore duplicates. */
  seen: string[];
  lastRun: { startedAtMs: number | null; durationMs: number | null; exitCode: number | null } | null;
  lastSlotMs: number;
  failures: number;
  /** The last facts of successes, newest last. Absent in states of the previous version. */
  facts?: Partial<Record<FactName, number[]>>;
};
