import type { HistoryBucket, Timings } from "@sonde/proto/http/monitors/checks";

/** One step of the chart: `start` as epoch milliseconds, figures in milliseconds. */
export type ChartPoint = {
  start: number;
  inMaintenance: boolean;
  p50: number | null;
  p95: number | null;
  max: number | null;
  timings: Timings | undefined;
};

/** A chart of fewer steps would look like more than it is. */
const fewest = 6;

/** The steps that the chart draws: from the first in which the monitor was due, since a young one has nothing before. */
export function chartPoints(buckets: readonly HistoryBucket[]): ChartPoint[] {
  const first = buckets.findIndex(({ checks, coverage }) => checks > 0 || coverage !== null);
  const from = Math.max(0, Math.min(first, buckets.length - fewest));
  return buckets.slice(from).map(({ start, p50, p95, max, timings, inMaintenance = false }) => ({
    start: Date.parse(start),
    inMaintenance,
    p50,
    p95,
    max,
    timings,
  }));
}
