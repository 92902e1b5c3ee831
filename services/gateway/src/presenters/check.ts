import type { CheckResult as CheckMessage, Timings as TimingsMessage } from "@sonde/proto/gen/checks/v1/checks";
import type {
  HistoryBucket as BucketMessage,
  HistorySummary as SummaryMessage,
} from "@sonde/proto/gen/metrics/v1/metrics";
import type { CheckResult, HistoryBucket, HistorySummary, Timings } from "@sonde/proto/http/checks";
import { percentOf, tenths, tenthsOrNull } from "./figures.ts";
import { instantOf, instantOrNull } from "./instant.ts";
import { readCheckErrorKind, readCheckStatus } from "./unions.ts";

export function presentCheck(check: CheckMessage): CheckResult {
  return {
    monitorId: check.monitorId,
    location: check.location,
    slot: instantOf(check.slotMs),
    startedAt: instantOf(check.startedAtMs),
    status: readCheckStatus(check.status),
    statusCode: check.statusCode,
    responseTime: tenths(check.responseTimeMs),
    timings: presentTimings(check.timings),
    error: check.error && { kind: readCheckErrorKind(check.error.kind), message: check.error.message },
    attempt: check.attempt,
    failures: check.failures,
    lateness: tenths(check.latenessMs),
    manual: check.manual,
    inMaintenance: check.inMaintenance || undefined,
  };
}

function presentTimings(timings: TimingsMessage | undefined): Timings {
  return {
    dns: phaseOf(timings?.dnsMs),
    connect: phaseOf(timings?.connectMs),
    tls: phaseOf(timings?.tlsMs),
    firstByte: phaseOf(timings?.firstByteMs),
    total: tenths(timings?.totalMs ?? 0),
  };
}

/** A phase that the kind of check does not have is left out. */
const phaseOf = (ms: number | undefined) => (ms === undefined ? undefined : tenths(ms));

/** One step of a history. Runners that overlapped may both have run a slot: coverage still is at most the whole. */
export function presentBucket(bucket: BucketMessage): HistoryBucket {
  return {
    start: instantOf(bucket.startMs),
    checks: bucket.checks,
    up: bucket.up,
    availability: percentOf(bucket.up, bucket.checks),
    coverage: percentOf(bucket.checks, bucket.expected),
    avg: tenthsOrNull(bucket.avgMs),
    p50: tenthsOrNull(bucket.p50Ms),
    p95: tenthsOrNull(bucket.p95Ms),
    max: tenthsOrNull(bucket.maxMs),
    timings: bucket.timings && presentTimings(bucket.timings),
    lastCheckedAt: instantOrNull(bucket.lastCheckedAtMs),
    error: bucket.error,
    inMaintenance: bucket.inMaintenance || undefined,
  };
}

/** The figures of a whole period. */
export function presentSummary(summary: SummaryMessage): HistorySummary {
  const { checks, failures, expected } = summary;
  return {
    from: instantOf(summary.fromMs),
    until: instantOf(summary.untilMs),
    checks,
    failures,
    uptime: percentOf(checks - failures, checks),
    coverage: percentOf(checks, expected),
    avg: tenthsOrNull(summary.avgMs),
    p50: tenthsOrNull(summary.p50Ms),
    p95: tenthsOrNull(summary.p95Ms),
  };
}
