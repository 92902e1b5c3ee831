import { presentTimings } from "@sonde/domain/check-result";
import { percentOf, tenthsOrNull } from "@sonde/kit/figures";
import type { HistoryBucket, HistorySummary } from "@sonde/proto/http/monitors/checks";
import type { CheckHistory, StepFigures, PeriodFigures } from "./history.ts";

const instant = (ms: number) => new Date(ms).toISOString();

export const presentHistory = ({ stepMs, buckets, summary, previous, changes }: CheckHistory) => ({
  step: Math.round(stepMs / 1000),
  buckets: buckets.map(presentBucket),
  summary: presentSummary(summary),
  previous: previous === undefined ? null : presentSummary(previous),
  changes,
});

/** Coverage is capped at 100 %: overlapping runners may both have run a slot. */
function presentBucket({ startMs, checks = 0, up = 0, expected, ...bucket }: StepFigures): HistoryBucket {
  return {
    start: instant(startMs),
    checks,
    up,
    availability: percentOf(up, checks),
    coverage: percentOf(checks, expected),
    avg: tenthsOrNull(bucket.avgMs),
    p50: tenthsOrNull(bucket.p50Ms),
    p95: tenthsOrNull(bucket.p95Ms),
    max: tenthsOrNull(bucket.maxMs),
    timings: bucket.timings && presentTimings(bucket.timings),
    lastCheckedAt: bucket.lastCheckedAtMs === undefined ? null : instant(bucket.lastCheckedAtMs),
    error: bucket.error,
    inMaintenance: bucket.inMaintenance || undefined,
  };
}

function presentSummary({ checks = 0, failures = 0, expected, ...period }: PeriodFigures): HistorySummary {
  return {
    from: instant(period.fromMs),
    until: instant(period.untilMs),
    checks,
    failures,
    uptime: percentOf(checks - failures, checks),
    coverage: percentOf(checks, expected),
    avg: tenthsOrNull(period.avgMs),
    p50: tenthsOrNull(period.p50Ms),
    p95: tenthsOrNull(period.p95Ms),
  };
}
