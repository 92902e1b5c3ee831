import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { Flapping } from "@sonde/domain/incidents/flapping";
import type { CheckStatus } from "@sonde/proto/http/monitors/checks";
import type { Confirm, MonitorStatus } from "@sonde/proto/http/monitors/monitors";

/** What another location saw of a failure. */
export type SeenElsewhere = { location: string; status: CheckStatus; error?: string; atMs: number };

/** A failure that is not believed yet. */
export type Suspicion = {
  slotMs: number;
  /** When the bus stored the failure. */
  atMs: number;
  opinions: readonly SeenElsewhere[];
  /** How it ended; `none`: no location looked in time. Absent while it is open. */
  verdict?: "down" | "up" | "none";
  /** An incident shows its opinions; those that come later, too. */
  isTold?: true;
};

/** The newest check at one location. */
export type LocationState = {
  version: number;
  /** The newest scheduled slot that was seen; 0 before the first. */
  slotMs: number;
  /** When the newest check began. */
  checkedAtMs: number;
  /** The location's verdict; null while a failure waits for its re-check and nothing was known before. */
  failing: boolean | null;
  failures: number;
  status: CheckStatus;
  responseTimeMs: number;
  statusCode?: number;
  error?: string;
  certificateExpiresAtMs?: number;
  certificateIssuer?: string;
  /** What others see of its failure. */
  suspicion?: Suspicion;
  /** It sees the monitor down, others do not. */
  partial?: boolean;
};

/** A monitor as the owner of its partition holds it in memory. */
export type TrackedMonitor = {
  id: number;
  revision: number;
  version: number;
  figuresVersion: number;
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  locations: readonly string[];
  /** Its own second opinion; null: that of all. */
  confirm: Confirm | null;
  status: MonitorStatus;
  statusSinceMs: number;
  flapping: Flapping;
  /** null while paused. */
  activeSinceMs: number | null;
  /** Its three missed slots were reported. */
  toldStale: boolean;
  /** An incident of its own says so; else that of its location does. */
  hasStaleIncident: boolean;
  /** An incident says that some of its locations see it down. */
  toldPartial: boolean;
  /** Nothing up to this position of this stream decides again (`partitions/saving.ts` of the kit). */
  stateStream: string;
  stateMark: number;
  locationStates: Map<string, LocationState>;
};

/**
 * Between the moment when the clock is set back and the moment when this process notices, runners continue their
 * checks. Such results arrive afterwards, with instants of up to a minute ago, and must still count as new.
 */
const noticedWithinMs = 60_000;

/**
 * Moves instants in the future back: the clock was set back, and they would block every result until it is there again.
 * A check counts as made an interval ago, at most a minute. Returns whether there were any.
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

/** Moves what is known newer of a location than a row that was just read into that row. */
export function keepNewer(known: TrackedMonitor, loaded: TrackedMonitor, nowMs: number): void {
  for (const [location, state] of known.locationStates) {
    const stored = loaded.locationStates.get(location);
    const isNewer = stored === undefined || stored.checkedAtMs <= state.checkedAtMs || stored.checkedAtMs > nowMs;
    if (state.version >= loaded.figuresVersion && isNewer) loaded.locationStates.set(location, state);
  }
}

/** The location with the newest check; null before the first. */
export function newestLocationState(locationStates: Iterable<LocationState>): LocationState | null {
  let newest: LocationState | null = null;
  for (const locationState of locationStates)
    if (newest === null || locationState.checkedAtMs > newest.checkedAtMs) newest = locationState;
  return newest;
}
