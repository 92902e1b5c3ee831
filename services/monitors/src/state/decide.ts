import { clipError } from "@sonde/kit/clip";
import { isCalm } from "@sonde/domain/incidents/flapping";
import type { Confirm, MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import { defaultSlowChecks } from "@sonde/proto/http/monitors/slow";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { partialOf, statesAfterOpinion, suspicionAfter } from "../opinions/suspicion.ts";
import { recoveryAfter, wholeRecovery } from "./recovery.ts";
import { slownessAfter } from "./slowness.ts";
import type { LocationState, TrackedMonitor } from "./tracked.ts";

type Ignored = { ignored: "paused" | "version" | "location" | "late" | "early" | "seen" };
export type AppliedResult = {
  ignored?: never;
  /** New states of the locations concerned: the result's own or, for an opinion, those whose failure it checked. */
  changed: ReadonlyMap<string, LocationState>;
  locationState: LocationState;
  isOwn: boolean;
  /** Other locations must check this failure before anything is decided. */
  suspects: boolean;
  status: MonitorStatus;
  /** When a new status began: for a recovery, the first successful check. */
  sinceMs: number;
  slow: boolean;
  /** It was flapping and is stable again. */
  calms: boolean;
  /** Some of its locations start or stop seeing it down while it is up. */
  partial?: "begins" | "ends";
  /** The opinion arrived after the verdict; it is added to the incident. */
  isLate: boolean;
};
export type ResultDecision = Ignored | AppliedResult;

/** Age in intervals at which a verdict expires. */
const freshIntervals = 3;
/** A runner's clock may be ahead by at most this; otherwise all results of other runners would look old. */
const aheadMs = 60_000;

/**
 * Applies one result to a monitor. Pure: the same results in the same order give the same decisions on any replica.
 * `storedAtMs` is when the bus stored the result; more than an interval and the timeout after its slot it is only
 * history. With `confirm`, a failure waits for opinions of other locations, which are results with `confirms`.
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
  const slow =
    status === "up" && verdicts.filter(([, { slowness }]) => slowness?.isSlow === true).length * 2 > verdicts.length;
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
    sinceMs: beginOf(monitor, status, verdicts, locationState.checkedAtMs),
    slow,
    calms,
    ...(partial === undefined ? {} : { partial }),
    isLate: !isOwn && suspicion?.isTold === true,
  };
}

/** A recovery began with its first successful check, unless it only follows from an expired verdict. */
function beginOf(
  { status: before, statusSinceMs, recoverAfter }: TrackedMonitor,
  status: MonitorStatus,
  verdicts: readonly (readonly [string, LocationState])[],
  checkedAtMs: number,
): number {
  if (recoverAfter < 2 || before !== "down" || status !== "up") return checkedAtMs;
  const states = verdicts.map(([, state]) => state);
  const { sinceMs } = wholeRecovery(states, recoverAfter) ?? { sinceMs: checkedAtMs };
  return sinceMs > statusSinceMs && sinceMs < checkedAtMs ? sinceMs : checkedAtMs;
}

/** While the monitor is down, the `partial` incident does not change. */
function partialChange(
  { hasPartialIncident }: TrackedMonitor,
  status: MonitorStatus,
  locationStates: readonly (readonly [string, LocationState])[],
): AppliedResult["partial"] {
  const isPartial = partialOf(status, locationStates).length > 0;
  return status === "down" || isPartial === hasPartialIncident ? undefined : isPartial ? "begins" : "ends";
}

/** Caps future times of a fast clock, which would block results of other runners, and its own after it is corrected. */
function notAfter(result: CheckResult, atMs: number): CheckResult {
  const { slotMs, startedAtMs } = result;
  if (slotMs <= atMs && startedAtMs <= atMs) return result;
  return { ...result, slotMs: Math.min(slotMs, atMs), startedAtMs: Math.min(startedAtMs, atMs) };
}

/** Empty if the result was seen before. */
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

/** Each slot counts once. A check that began before the newest known one is ignored. */
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
  // A runner counts its own retries; a manual check adds one to the known failures.
  const failures = !down ? 0 : result.manual ? (before?.failures ?? 0) + 1 : Math.max(1, result.failures);
  // While flapping, recovery needs two successful checks in a row.
  const isStillFailing = flapping.isFlapping && before?.failing === true && before.status === "down";
  const confirmed = failures >= retries + 1;
  const suspicion = down && confirmed ? suspicionAfter(before, result.slotMs, monitor, storedAtMs) : null;
  const isBelieved = confirmed && (suspicion === null || suspicion.verdict === "none");
  // A failed connection returns no certificate, so the last one stays valid information.
  const certificateExpiresAtMs = result.certificateExpiresAtMs ?? before?.certificateExpiresAtMs;
  const certificateIssuer = result.certificateIssuer ?? before?.certificateIssuer;
  const recovery = down ? before?.recovery : recoveryAfter(before, result.startedAtMs, monitor.recoverAfter);
  const isRecovering = before?.failing === true && recovery !== undefined && recovery.good < monitor.recoverAfter;
  const failing = !down ? isStillFailing || isRecovering : isBelieved ? true : (before?.failing ?? null);
  const slowness = monitor.slowAfter === null ? undefined : slownessOf(before, result, failing, monitor);
  return {
    version,
    slotMs: result.manual ? (before?.slotMs ?? 0) : result.slotMs,
    checkedAtMs: result.startedAtMs,
    failing,
    failures,
    status: down ? "down" : "up",
    responseTimeMs: result.responseTimeMs,
    ...(result.statusCode === undefined ? {} : { statusCode: result.statusCode }),
    ...(result.error === undefined ? {} : { error: clipError(result.error.message) }),
    ...(certificateExpiresAtMs === undefined ? {} : { certificateExpiresAtMs }),
    ...(certificateIssuer === undefined ? {} : { certificateIssuer: clipError(certificateIssuer) }),
    ...(suspicion === null ? {} : { suspicion }),
    ...(down && !isBelieved && before?.partial === true ? { partial: true } : {}),
    ...(slowness === undefined ? {} : { slowness }),
    ...(recovery === undefined || (down && failing === true) ? {} : { recovery }),
  };
}

/** Starts again after a failure of the location, and after three intervals without a check. */
function slownessOf(
  before: LocationState | undefined,
  { status, startedAtMs, responseTimeMs }: CheckResult,
  failing: boolean | null,
  { slowAfter, slowChecks, intervalMs }: TrackedMonitor,
): LocationState["slowness"] {
  if (failing === true) return undefined;
  const known = before?.slowness;
  if (status === "down") return known;
  const isOld = before !== undefined && startedAtMs - before.checkedAtMs > freshIntervals * intervalMs;
  const recent = known && isOld ? { ...known, recent: [] } : known;
  return slownessAfter(recent, responseTimeMs > (slowAfter ?? Infinity), slowChecks ?? defaultSlowChecks);
}
