import { clipError } from "@sonde/kit/clip";
import { isCalm } from "@sonde/kit/incidents/flapping";
import type { MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { LocationState, TrackedMonitor } from "./tracked.ts";

type Ignored = { ignored: "paused" | "version" | "location" | "late" | "early" | "seen" };
export type AppliedResult = {
  ignored?: never;
  locationState: LocationState;
  /** What the monitor is after this result. */
  status: MonitorStatus;
  /** It flapped, and is stable again. */
  calms: boolean;
};
export type ResultDecision = Ignored | AppliedResult;

/** The age, in intervals, from which a verdict no longer counts. */
const freshIntervals = 3;
/** A runner's clock that runs ahead further than this would make all results of others look old. */
const aheadMs = 60_000;

/**
 * Applies one result to a monitor. Pure: the same results in the same order give the same decisions on any replica.
 * `storedAtMs` is when the bus stored the result: one that came later than its slot, an interval and the timeout is
 * history only.
 */
export function decide(monitor: TrackedMonitor, given: CheckResult, storedAtMs: number): ResultDecision {
  if (monitor.activeSinceMs === null) return { ignored: "paused" };
  if (given.version !== monitor.version) return { ignored: "version" };
  if (!monitor.locations.includes(given.location)) return { ignored: "location" };
  if (storedAtMs > given.slotMs + monitor.intervalMs + monitor.timeoutMs) return { ignored: "late" };
  if (Math.max(given.slotMs, given.startedAtMs) > storedAtMs + aheadMs) return { ignored: "early" };
  const result = notAfter(given, storedAtMs);
  const known = monitor.locationStates.get(result.location);
  const before = known?.version === monitor.version ? known : undefined;
  if (before !== undefined && isSeen(before, result)) return { ignored: "seen" };

  const locationState = locationStateAfter(before, result, monitor);
  const current = [...monitor.locationStates].filter(
    ([name, { version }]) => name !== result.location && version === monitor.version,
  );
  const locationStates = [...current.map(([, other]) => other), locationState];
  const newestMs = Math.max(...locationStates.map(({ checkedAtMs }) => checkedAtMs));
  const verdicts = locationStates.filter(
    ({ failing, checkedAtMs }) => failing !== null && checkedAtMs > newestMs - freshIntervals * monitor.intervalMs,
  );
  const failing = verdicts.filter((verdict) => verdict.failing).length;
  const status = verdicts.length === 0 ? monitor.status : failing * 2 > verdicts.length ? "down" : "up";
  const calms = status === monitor.status && isCalm(monitor.flapping, monitor.intervalMs, locationState.checkedAtMs);
  return { locationState, status, calms };
}

/** What a runner's fast clock calls the future must not block results of others, nor its own once it is set right. */
function notAfter(result: CheckResult, atMs: number): CheckResult {
  const { slotMs, startedAtMs } = result;
  if (slotMs <= atMs && startedAtMs <= atMs) return result;
  return { ...result, slotMs: Math.min(slotMs, atMs), startedAtMs: Math.min(startedAtMs, atMs) };
}

/** A slot counts once; and what began before the newest check is old news, whichever came first. */
function isSeen(before: LocationState, { manual, slotMs, startedAtMs }: CheckResult): boolean {
  return (!manual && slotMs <= before.slotMs) || startedAtMs <= before.checkedAtMs;
}

function locationStateAfter(
  before: LocationState | undefined,
  result: CheckResult,
  { version, retries, flapping }: TrackedMonitor,
): LocationState {
  const down = result.status === "down";
  // A runner counts its own re-checks; a manual check only adds to what the location knows.
  const failures = !down ? 0 : result.manual ? (before?.failures ?? 0) + 1 : Math.max(1, result.failures);
  // While it flaps one good check ends nothing: two in a row do.
  const isStillFailing = flapping.isFlapping && before?.failing === true && before.status === "down";
  const confirmed = failures >= retries + 1;
  // A failed connection shows no certificate; the one that was seen last still ends when it ends.
  const certificateExpiresAtMs = result.certificateExpiresAtMs ?? before?.certificateExpiresAtMs;
  const certificateIssuer = result.certificateIssuer ?? before?.certificateIssuer;
  return {
    version,
    slotMs: result.manual ? (before?.slotMs ?? 0) : result.slotMs,
    checkedAtMs: result.startedAtMs,
    failing: !down ? isStillFailing : confirmed ? true : (before?.failing ?? null),
    failures,
    status: down ? "down" : "up",
    responseTimeMs: result.responseTimeMs,
    ...(result.statusCode === undefined ? {} : { statusCode: result.statusCode }),
    ...(result.error === undefined ? {} : { error: clipError(result.error.message) }),
    ...(certificateExpiresAtMs === undefined ? {} : { certificateExpiresAtMs }),
    ...(certificateIssuer === undefined ? {} : { certificateIssuer: clipError(certificateIssuer) }),
  };
}
