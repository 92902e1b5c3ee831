import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { Flapping } from "@sonde/domain/incidents/flapping";
import type { CheckStatus } from "@sonde/proto/http/monitors/checks";
import type { Confirm, MonitorStatus } from "@sonde/proto/http/monitors/monitors";
import type { SlowChecks } from "@sonde/proto/http/monitors/slow";
import { type Recovery, wholeRecovery } from "./recovery.ts";
import type { Slowness } from "./slowness.ts";

export type LocationOpinion = { location: string; status: CheckStatus; error?: string; atMs: number };

export type Suspicion = {
  slotMs: number;
  /** By the bus's clock. */
  atMs: number;
  opinions: readonly LocationOpinion[];
  /** The outcome; `none` if no location could check in time. Absent while open. */
  verdict?: "down" | "up" | "none";
  /** An incident contains its opinions, and will contain later ones. */
  isTold?: true;
};

/** From the newest check. */
export type LocationState = {
  version: number;
  /** The newest scheduled slot with a result; 0 before the first. */
  slotMs: number;
  checkedAtMs: number;
  /** The location's verdict; `null` while a first failure is retried and there was no earlier verdict. */
  failing: boolean | null;
  failures: number;
  status: CheckStatus;
  responseTimeMs: number;
  statusCode?: number;
  error?: string;
  certificateExpiresAtMs?: number;
  certificateIssuer?: string;
  suspicion?: Suspicion;
  /** Down from here, but not from other locations. */
  partial?: boolean;
  slowness?: Slowness;
  recovery?: Recovery;
};

export type TrackedMonitor = {
  id: number;
  revision: number;
  version: number;
  figuresVersion: number;
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  recoverAfter: number;
  /** Milliseconds; `null`: never slow. */
  slowAfter: number | null;
  /** `null`: the default. */
  slowChecks: SlowChecks | null;
  locations: readonly string[];
  /** `null`: the default of all monitors. */
  confirm: Confirm | null;
  status: MonitorStatus;
  statusSinceMs: number;
  flapping: Flapping;
  isSlow: boolean;
  /** `null` while paused. */
  activeSinceMs: number | null;
  isStaleReported: boolean;
  /** Reported by an incident of the monitor, not of its location. */
  hasStaleIncident: boolean;
  hasPartialIncident: boolean;
  /** Stream position; nothing up to it is decided again (`partitions/saving.ts` in the kit). */
  stateStream: string;
  stateMark: number;
  locationStates: Map<string, LocationState>;
};

/**
 * After the clock is set back, runners continue before this process notices. Their results carry times of up to a
 * minute ago and must still count as new.
 */
const noticedWithinMs = 60_000;

/**
 * Caps future times after the clock was set back; they would block every result until the clock catches up. A check
 * counts as made an interval ago, at most a minute. Returns true if anything changed.
 */
export function capInstants(monitor: TrackedMonitor, nowMs: number): boolean {
  const { activeSinceMs, statusSinceMs, intervalMs, locationStates } = monitor;
  const checkedMs = nowMs - Math.min(intervalMs, noticedWithinMs);
  const latestMs = nowMs + clocksDifferMs;
  let capped = statusSinceMs > latestMs || (activeSinceMs ?? 0) > latestMs;
  monitor.statusSinceMs = Math.min(statusSinceMs, nowMs);
  monitor.activeSinceMs = activeSinceMs === null ? null : Math.min(activeSinceMs, nowMs);
  for (const [location, locationState] of locationStates) {
    if (locationState.checkedAtMs <= latestMs && locationState.slotMs <= latestMs) continue;
    const checkedAtMs = Math.min(locationState.checkedAtMs, checkedMs);
    locationStates.set(location, { ...locationState, checkedAtMs, slotMs: Math.min(locationState.slotMs, checkedMs) });
    capped = true;
  }
  return capped;
}

/** Copies location states that are newer than those of a loaded row into it. */
export function mergeNewer(known: TrackedMonitor, loaded: TrackedMonitor, nowMs: number): void {
  for (const [location, state] of known.locationStates) {
    const stored = loaded.locationStates.get(location);
    const isNewer = stored === undefined || stored.checkedAtMs <= state.checkedAtMs || stored.checkedAtMs > nowMs;
    if (state.version >= loaded.figuresVersion && isNewer) loaded.locationStates.set(location, state);
  }
}

/** `null` before the first check. */
export function newestLocationState(locationStates: Iterable<LocationState>): LocationState | null {
  let newest: LocationState | null = null;
  for (const locationState of locationStates)
    if (newest === null || locationState.checkedAtMs > newest.checkedAtMs) newest = locationState;
  return newest;
}

/** How far a monitor that is down has recovered, if `recoverAfter` requires more than one successful check. */
export function recoveryOf(
  { status, version, recoverAfter }: Pick<TrackedMonitor, "status" | "version" | "recoverAfter">,
  locationStates: ReadonlyMap<string, LocationState>,
): { good: number; of: number } | undefined {
  if (status !== "down" || recoverAfter < 2) return undefined;
  const verdicts = [...locationStates.values()].filter((state) => state.failing !== null && state.version === version);
  const good = wholeRecovery(verdicts, recoverAfter)?.good ?? 0;
  return { good: Math.min(good, recoverAfter), of: recoverAfter };
}
