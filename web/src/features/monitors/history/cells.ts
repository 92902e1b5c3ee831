import type { HistoryBucket } from "@sonde/proto/http/monitors/checks";
import type { CellState } from "../../../ui/health/state-bars.tsx";

/** Slots drawn as one bar. Times are epoch milliseconds. */
export type CellGroup = {
  fromMs: number;
  toMs: number;
  state: CellState;
  checks: number;
  availability: number | null;
  error?: string | undefined;
  /** A part of the time lay in maintenance. */
  inMaintenance: boolean;
};

/** Groups the steps of a history so that at most `most` bars are drawn; every bar but the last stands for the same time. */
export function groupCells(buckets: readonly HistoryBucket[], stepSeconds: number, most: number): CellGroup[] {
  const size = Math.max(1, Math.ceil(buckets.length / most));
  const groups: CellGroup[] = [];
  for (let first = 0; first < buckets.length; first += size)
    groups.push(group(buckets.slice(first, first + size), stepSeconds));
  return groups;
}

function group(buckets: readonly HistoryBucket[], stepSeconds: number): CellGroup {
  const checks = buckets.reduce((sum, bucket) => sum + bucket.checks, 0);
  const up = buckets.reduce((sum, bucket) => sum + bucket.up, 0);
  const isDue = buckets.some(({ coverage }) => coverage !== null);
  const inMaintenance = buckets.some((bucket) => bucket.inMaintenance === true);
  const unseen = isDue ? "noData" : inMaintenance ? "maintenance" : "notDue";
  const starts = buckets.map(({ start }) => Date.parse(start));
  return {
    fromMs: Math.min(...starts),
    toMs: Math.max(...starts) + stepSeconds * 1000,
    state: checks === 0 ? unseen : up === checks ? "up" : up === 0 ? "down" : "partial",
    checks,
    availability: checks === 0 ? null : (up / checks) * 100,
    inMaintenance,
    error: buckets.findLast(({ error }) => error !== undefined)?.error,
  };
}
