import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { StoredAgent } from "../agents/store.ts";
import type { ListedFigures } from "./samples.ts";

/** Consecutive samples above a metric's threshold, and at or below it. */
export type Run = {
  above: number;
  under: number;
  /** Times of recent changes between above and below, while they count for flapping (kit/flapping.ts). */
  changesMs?: readonly number[];
  /** Flapping: its incident stays open. */
  isFlapping?: true;
  /** Below its threshold, although its incident is open because it flaps. */
  isWell?: true;
  /** The last applied threshold while its incident is open; percent. */
  limit?: number;
};

export type AgentReading = {
  /** When the last report was received, by the server's clock. */
  lastSeenMs: number;
  /** Time of the sample, corrected. */
  atMs: number;
  bootId: string;
  sequence: number;
  skewMs: number;
  runs: Readonly<Record<string, Run>>;
  uptimeSeconds: number | null;
  figures: ListedFigures;
  /** Encoded `Sample`. */
  sample: Uint8Array;
};

/** Columns of `agents` that a partition's owner caches. Nothing up to `stateMark` of `stateStream` is decided again. */
export const trackedColumns = ["id", "intervalMs", "status", "statusSinceMs", "stateStream", "stateMark"] as const;

export type TrackedAgent = Pick<StoredAgent, (typeof trackedColumns)[number]> & {
  reading: AgentReading | null;
  /** Metrics with an open incident. */
  open: Set<string>;
};

/**
 * Moves a reading from the future to one interval ago: after the server's clock was set back it would keep its agent
 * online, and reject later samples, until the clock catches up. Returns true if anything changed.
 */
export function capReading(agent: TrackedAgent, nowMs: number): boolean {
  const { reading, intervalMs } = agent;
  if (reading === null || reading.lastSeenMs <= nowMs + clocksDifferMs) return false;
  const seenMs = nowMs - Math.min(intervalMs, 60_000);
  agent.reading = { ...reading, lastSeenMs: seenMs, atMs: Math.min(reading.atMs, seenMs) };
  agent.statusSinceMs = Math.min(agent.statusSinceMs, nowMs);
  return true;
}

export function mergeNewer(known: TrackedAgent, loaded: TrackedAgent, nowMs: number): void {
  const storedMs = loaded.reading?.lastSeenMs ?? 0;
  if (known.reading === null || (known.reading.lastSeenMs <= storedMs && storedMs <= nowMs + clocksDifferMs)) return;
  loaded.reading = known.reading;
  // The interval belongs to the reading.
  loaded.intervalMs = known.intervalMs;
}
