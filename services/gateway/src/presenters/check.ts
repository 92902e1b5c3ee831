import type { CheckResult as CheckMessage } from "@sonde/proto/gen/checks/v1/checks";
import type { HistoryBucket as BucketMessage } from "@sonde/proto/gen/metrics/v1/metrics";
import type { CheckErrorKind, CheckResult, CheckStatus, HistoryBucket } from "@sonde/proto/http/checks";
import { percentOf, tenths, tenthsOrNull } from "./figures.ts";
import { instantOf, instantOrNull } from "./instant.ts";

export function presentCheck(check: CheckMessage): CheckResult {
  return {
    monitorId: check.monitorId,
    location: check.location,
    slot: instantOf(check.slotMs),
    startedAt: instantOf(check.startedAtMs),
    status: check.status as CheckStatus,
    ...(check.statusCode === undefined ? {} : { statusCode: check.statusCode }),
    responseTime: tenths(check.responseTimeMs),
    timings: {
      dns: tenths(check.timings?.dnsMs ?? 0),
      connect: tenths(check.timings?.connectMs ?? 0),
      tls: tenths(check.timings?.tlsMs ?? 0),
      firstByte: tenths(check.timings?.firstByteMs ?? 0),
      total: tenths(check.timings?.totalMs ?? 0),
    },
    ...(check.error === undefined
      ? {}
      : { error: { kind: check.error.kind as CheckErrorKind, message: check.error.message } }),
    attempt: check.attempt,
    failures: check.failures,
    lateness: tenths(check.latenessMs),
    manual: check.manual,
  };
}

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
    lastCheckedAt: instantOrNull(bucket.lastCheckedAtMs),
    ...(bucket.error === undefined ? {} : { error: bucket.error }),
  };
}
