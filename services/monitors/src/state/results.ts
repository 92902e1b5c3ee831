import { fromBinary } from "@bufbuild/protobuf";
import type { Log } from "@sonde/kit/service/log";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { Clock } from "@sonde/kit/time/clock";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { checkStatuses } from "@sonde/proto/http/monitors/checks";
import { heartbeatLocation, locationOfResults, partitionOf } from "@sonde/proto/subjects";

/** The results of a message of RESULTS, but for those of heartbeats, which are decided already. @throws where it holds none */
export function parseResults(bytes: Uint8Array): CheckResult[] {
  const { results, opinions } = fromBinary(ResultBatchSchema, bytes);
  return [...results, ...opinions].filter(({ location }) => location !== heartbeatLocation);
}

const isInstant = (ms: number) => Number.isFinite(ms) && ms > 0 && ms < Number.MAX_SAFE_INTEGER;

/** Why a result that came on this subject belongs to the dead letters; null where it is good. */
export function checkFault(result: CheckResult, partition: number, subject: string): string | null {
  if (partitionOf(result.monitorId) !== partition) return "another partition's monitor";
  if (result.location !== (locationOfResults(subject) ?? result.location)) return "another location's result";
  if (!checkStatuses.some((status) => status === result.status)) return "an unknown status";
  if (!isInstant(result.slotMs) || !isInstant(result.startedAtMs)) return "an impossible instant";
  if (result.confirms !== undefined && !isInstant(result.confirms)) return "an impossible instant";
  if (!Number.isFinite(result.responseTimeMs)) return "an impossible duration";
  if (result.certificateExpiresAtMs !== undefined && !Number.isFinite(result.certificateExpiresAtMs)) {
    return "an impossible certificate";
  }
  return null;
}

/** Called with each result that was ignored because its time is in the future. */
export type OnFutureResult = (result: CheckResult, storedAtMs: number) => void;

const warnAgainMs = 60_000;

/** Logs once a minute where such results come from, and by how much the clocks differ. */
export function warnOfFutureResults(log: Log, clock: Clock): OnFutureResult {
  let saidMs = Number.NEGATIVE_INFINITY;
  return ({ location, slotMs, startedAtMs }, storedAtMs) => {
    if (clock.elapsedMs() - saidMs < warnAgainMs) return;
    saidMs = clock.elapsedMs();
    const aheadSeconds = Math.round((Math.max(slotMs, startedAtMs) - storedAtMs) / 1_000);
    const reason = `at ${location} it is ${aheadSeconds} s ahead of the clock of NATS`;
    log.warn({ location, aheadSeconds, reason }, "results are ignored: the clock of their runner or of NATS is wrong");
  };
}

export const applied = counter("sonde_results_applied_total", "Check results that were applied");
export const ignored = counter("sonde_results_ignored_total", "Check results that were ignored, by reason", ["reason"]);
export const transitions = counter("sonde_monitor_transitions_total", "Status changes of monitors", ["to"]);
