import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { StoredAgent } from "../agents/store.ts";
import type { ListedFigures } from "./samples.ts";

/** How many samples in a row were above a metric's threshold, and how many at or below it. */
export type Run = {
  above: number;
  under: number;
  /** Its newest changes between above and under, while they may make it flap (kit/flapping.ts). */
  changesMs?: readonly number[];
  /** It flaps: its incident stays open. */
  isFlapping?: true;
  /** It is under its threshold, though its incident is open because it flaps. */
  isWell?: true;
  /** The threshold that it was held against last while its incident is open; percent. */
  limit?: number;
};

/** The newest fresh sample of an agent. */
export type AgentReading = {
  /** When the server received its last report, by the server's clock. */
  lastSeenMs: number;
  /** The sample's own instant, corrected. */
  atMs: number;
  bootId: string;
  sequence: number;
  skewMs: number;
  runs: Readonly<Record<string, Run>>;
  uptimeSeconds: number | null;
  figures: ListedFigures;
  /** A `Sample`, encoded. */
  sample: Uint8Array;
};

/** The columns of `agents` that the owner of a partition holds. Nothing up to `stateMark` of `stateStream` decides again. */
export const trackedColumns = ["id", "intervalMs", "status", "statusSinceMs", "stateStream", "stateMark"] as const;

/** An agent as the owner of its partition holds it. */
export type TrackedAgent = Pick<StoredAgent, (typeof trackedColumns)[number]> & {
  reading: AgentReading | null;
  /** Metrics with an open incident. */
  open: Set<string>;
};

/**
 * Takes a reading from the future back to an interval ago: the server's clock was set back, and the reading would keep
 * its agent online, and later samples out, until the clock is there again. Returns whether it lay there.
 */
export function capReading(agent: TrackedAgent, nowMs: number): boolean {
  const { reading, intervalMs } = agent;
  if (reading === null || reading.lastSeenMs <= nowMs + clocksDifferMs) return false;
  const seenMs = nowMs - Math.min(intervalMs, 60_000);
  agent.reading = { ...reading, lastSeenMs: seenMs, atMs: Math.min(reading.atMs, seenMs) };
  agent.statusSinceMs = Math.min(agent.statusSinceMs, nowMs);
  return true;
}

/** Moves what is known newer than a row that was just read into that row. */
export function keepNewer(known: TrackedAgent, loaded: TrackedAgent, nowMs: number): void {
  const storedMs = loaded.reading?.lastSeenMs ?? 0;
  if (known.reading === null || (known.reading.lastSeenMs <= storedMs && storedMs <= nowMs + clocksDifferMs)) return;
  loaded.reading = known.reading;
  // The interval is kept together with the reading.
  loaded.intervalMs = known.intervalMs;
}
