import type { CheckResult as CheckMessage, Timings as TimingsMessage } from "@sonde/proto/gen/checks/v1/checks";
import { type CheckResult, checkResult, type Timings } from "@sonde/proto/http/monitors/checks";
import { tenths } from "@sonde/kit/figures";

const instant = (ms: number) => new Date(ms).toISOString();
const { status, error } = checkResult.shape;

/** @throws ZodError if the status or the kind of error is unknown */
export function presentCheck(check: CheckMessage): CheckResult {
  return {
    monitorId: check.monitorId,
    location: check.location,
    slot: instant(check.slotMs),
    startedAt: instant(check.startedAtMs),
    status: status.parse(check.status),
    statusCode: check.statusCode,
    responseTime: tenths(check.responseTimeMs),
    timings: presentTimings(check.timings),
    error: error.parse(check.error),
    attempt: check.attempt,
    failures: check.failures,
    lateness: tenths(check.latenessMs),
    manual: check.manual,
    inMaintenance: check.inMaintenance || undefined,
  };
}

type Phases = { [Phase in keyof Omit<TimingsMessage, "$typeName" | "$unknown">]?: number };

export function presentTimings(timings: Phases | undefined): Timings {
  return {
    dns: phaseOf(timings?.dnsMs),
    connect: phaseOf(timings?.connectMs),
    tls: phaseOf(timings?.tlsMs),
    firstByte: phaseOf(timings?.firstByteMs),
    total: tenths(timings?.totalMs ?? 0),
  };
}

const phaseOf = (ms: number | undefined) => (ms === undefined ? undefined : tenths(ms));
