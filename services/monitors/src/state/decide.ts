import { clipError } from "@sonde/kit/clip";
import { isCalm } from "@sonde/domain/incidents/flapping";
import type { Confirm, MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { partialOf, statesAfterOpinion, suspicionAfter } from "../opinions/suspicion.ts";
import type { LocationState, TrackedMonitor } from "./tracked.ts";

type Ignored = { ignored: "paused" | "version" | "location" | "late" | "early" | "seen" };
export type AppliedResult = {
  ignored?: never;
  /** What is known after this of the locations that it is about: its own, or those whose failure it looked at. */
  changed: ReadonlyMap<string, LocationState>;
  /** Of these the one that decides. */
  locationState: LocationState;
  /** It is no opinion on a failure elsewhere. */
  isOwn: boolean;
  /** Nothing is decided before others looked at this failure. */
  suspects: boolean;
  /** What the monitor is after this result. */
  status: MonitorStatus;
  /** It flapped, and is stable again. */
  calms: boolean;
  /** Some of its locations begin, or cease, to see it down while it is up. */
  partial?: "begins" | "ends";
  /** It came after the failure was decided: the incident shows it, too. */
  isLate: boolean;
};
export type ResultDecision = Ignored | AppliedResult;

/** The age, in intervals, from which a verdict no longer counts. */
const freshIntervals = 3;
/** A runner's clock that runs ahead further than this would make all results of others look old. */
const aheadMs = 60_000;

/**
 * Applies one result to a monitor. Pure: the same results in the same order give the same decisions on any replica.
 * `storedAtMs` is when the bus stored the result: one that came later than its slot, an interval and the timeout is
 * history only. With `confirm` a failure waits for what other locations see, which comes as results with `confirms`.
 */
export function decide(
  monitor: TrackedMonitor,
  given: CheckResult,
  storedAtMs: number,
  confirm: Confirm | null = null,
): ResultDecision {
  const isOwn = given.confirms === undefined;
  const among = isOwn ? monitor.locations : (confirm?.locations ?? []);
  if (monitor.activeSinceMs === null) return { ignored: "paused" };
  if (given.version !== monitor.version) return { ignored: "version" };
  if (!among.includes(given.location)) return { ignored: "location" };
  if (storedAtMs > given.slotMs + monitor.intervalMs + monitor.timeoutMs) return { ignored: "late" };
  if (Math.max(given.slotMs, given.startedAtMs) > storedAtMs + aheadMs) return { ignored: "early" };
  const result = notAfter(given, storedAtMs);
  const changed = isOwn
    ? stateAfterCheck(monitor, result, storedAtMs, confirm)
    : statesAfterOpinion(monitor, result, confirm?.need ?? 1);
  const [locationState] = changed.values();
  if (locationState === undefined) return { ignored: "seen" };

  const current = [...monitor.locationStates].filter(
    ([name, { version }]) => !changed.has(name) && version === monitor.version,
  );
  const locationStates = [...current, ...changed];
  const newestMs = Math.max(...locationStates.map(([, { checkedAtMs }]) => checkedAtMs));
  const verdicts = locationStates.filter(
    ([, { failing, checkedAtMs }]) => failing !== null && checkedAtMs > newestMs - freshIntervals * monitor.intervalMs,
  );
  const failing = verdicts.filter(([, verdict]) => verdict.failing).length;
  const status = verdicts.length === 0 ? monitor.status : failing * 2 > verdicts.length ? "down" : "up";
  const calms = status === monitor.status && isCalm(monitor.flapping, monitor.intervalMs, locationState.checkedAtMs);
  const partial = partialChange(monitor, status, locationStates);
  const { suspicion } = locationState;
  const isTold = suspicion?.isTold === true || (status === "down" && monitor.status !== "down") || partial === "begins";
  if (suspicion?.verdict !== undefined && isTold) {
    for (const [name, state] of changed)
      changed.set(name, { ...state, suspicion: { ...suspicion, ...state.suspicion, isTold } });
  }
  return {
    changed,
    locationState,
    isOwn,
    suspects: isOwn && suspicion !== undefined && suspicion.opinions.length === 0 && suspicion.slotMs === result.slotMs,
    status,
    calms,
    ...(partial === undefined ? {} : { partial }),
    isLate: !isOwn && suspicion?.isTold === true,
  };
}

/** While it is down an incident of this kind stays as it is. */
function partialChange(
  { toldPartial }: TrackedMonitor,
  status: MonitorStatus,
  locationStates: readonly (readonly [string, LocationState])[],
): AppliedResult["partial"] {
  const isPartial = partialOf(status, locationStates).length > 0;
  return status === "down" || isPartial === toldPartial ? undefined : isPartial ? "begins" : "ends";
}

/** What a runner's fast clock calls the future must not block results of others, nor its own once it is set right. */
function notAfter(result: CheckResult, atMs: number): CheckResult {
  const { slotMs, startedAtMs } = result;
  if (slotMs <= atMs && startedAtMs <= atMs) return result;
  return { ...result, slotMs: Math.min(slotMs, atMs), startedAtMs: Math.min(startedAtMs, atMs) };
}

/** The state of its location after a check; none where it was seen before. */
function stateAfterCheck(
  monitor: TrackedMonitor,
  result: CheckResult,
  storedAtMs: number,
  confirm: Confirm | null,
): Map<string, LocationState> {
  const known = monitor.locationStates.get(result.location);
  const before = known?.version === monitor.version ? known : undefined;
  if (before !== undefined && isSeen(before, result)) return new Map();
  const state = locationStateAfter(before, result, { ...monitor, confirm, storedAtMs });
  return new Map([[result.location, state]]);
}

/** A slot counts once; and what began before the newest check is old news, whichever came first. */
function isSeen(before: LocationState, { manual, slotMs, startedAtMs }: CheckResult): boolean {
  return (!manual && slotMs <= before.slotMs) || startedAtMs <= before.checkedAtMs;
}

function locationStateAfter(
  before: LocationState | undefined,
  result: CheckResult,
  { storedAtMs, ...monitor }: TrackedMonitor & { storedAtMs: number },
): LocationState {
  const { version, retries, flapping } = monitor;
  const down = result.status === "down";
  // A runner counts its own re-checks; a manual check only adds to what the location knows.
  const failures = !down ? 0 : result.manual ? (before?.failures ?? 0) + 1 : Math.max(1, result.failures);
  // While it flaps one good check ends nothing: two in a row do.
  const isStillFailing = flapping.isFlapping && before?.failing === true && before.status === "down";
  const confirmed = failures >= retries + 1;
  const suspicion = down && confirmed ? suspicionAfter(before, result.slotMs, monitor, storedAtMs) : null;
  const isBelieved = confirmed && (suspicion === null || suspicion.verdict === "none");
  // A failed connection shows no certificate; the one that was seen last still ends when it ends.
  const certificateExpiresAtMs = result.certificateExpiresAtMs ?? before?.certificateExpiresAtMs;
  const certificateIssuer = result.certificateIssuer ?? before?.certificateIssuer;
  return {
    version,
    slotMs: result.manual ? (before?.slotMs ?? 0) : result.slotMs,
    checkedAtMs: result.startedAtMs,
    failing: !down ? isStillFailing : isBelieved ? true : (before?.failing ?? null),
    failures,
    status: down ? "down" : "up",
    responseTimeMs: result.responseTimeMs,
    ...(result.statusCode === undefined ? {} : { statusCode: result.statusCode }),
    ...(result.error === undefined ? {} : { error: clipError(result.error.message) }),
    ...(certificateExpiresAtMs === undefined ? {} : { certificateExpiresAtMs }),
    ...(certificateIssuer === undefined ? {} : { certificateIssuer: clipError(certificateIssuer) }),
    ...(suspicion === null ? {} : { suspicion }),
    ...(down && !isBelieved && before?.partial === true ? { partial: true } : {}),
  };
}
