import { fromBinary } from "@bufbuild/protobuf";
import type { Log } from "@sonde/kit/service/log";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { checkStatuses } from "@sonde/proto/http/monitors/checks";
import { heartbeatLocation, locationOfResults, partitionOf } from "@sonde/proto/subjects";

/** Without results of heartbeats, which are already decided. @throws if the message is invalid */
export function parseResults(bytes: Uint8Array): CheckResult[] {
  const { results, opinions } = fromBinary(ResultBatchSchema, bytes);
  return [...results, ...opinions].filter(({ location }) => location !== heartbeatLocation);
}

const isInstant = (ms: number) => Number.isFinite(ms) && ms > 0 && ms < Number.MAX_SAFE_INTEGER;

/** Returns the reason for a dead letter, or `null`. */
export function deadLetterReason(result: CheckResult, partition: number, subject: string): string | null {
  if (partitionOf(result.monitorId) !== partition) return "monitor of another partition";
  if (result.location !== (locationOfResults(subject) ?? result.location)) return "result of another location";
  if (!checkStatuses.some((status) => status === result.status)) return "unknown status";
  if (!isInstant(result.slotMs) || !isInstant(result.startedAtMs)) return "invalid time";
  if (result.confirms !== undefined && !isInstant(result.confirms)) return "invalid time";
  if (!Number.isFinite(result.responseTimeMs)) return "invalid duration";
  if (result.certificateExpiresAtMs !== undefined && !Number.isFinite(result.certificateExpiresAtMs)) {
    return "invalid certificate";
  }
  return null;
}

export type OnFutureResult = (result: CheckResult, storedAtMs: number) => void;

const warnAgainMs = 60_000;

/** Logs at most once a minute. */
export function warnOfFutureResults(log: Log, clock: Clock): OnFutureResult {
  let loggedMs = Number.NEGATIVE_INFINITY;
  return ({ location, slotMs, startedAtMs }, storedAtMs) => {
    if (clock.elapsedMs() - loggedMs < warnAgainMs) return;
    loggedMs = clock.elapsedMs();
    const aheadSeconds = Math.round((Math.max(slotMs, startedAtMs) - storedAtMs) / 1_000);
    const reason = `the clock at ${location} is ${aheadSeconds} s ahead of the clock of NATS`;
    log.warn({ location, aheadSeconds, reason }, "ignoring results: the clock of the runner or of NATS is wrong");
  };
}

export const applied = counter("sonde_results_applied_total", "Check results that were applied");
export const ignored = counter("sonde_results_ignored_total", "Check results that were ignored, by reason", ["reason"]);
export const transitions = counter("sonde_monitor_transitions_total", "Status changes of monitors", ["to"]);
