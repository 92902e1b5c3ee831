import { slotsBetween } from "@sonde/kit/time/slots";

export type MonitorTiming = {
  id: number;
  intervalMs: number;
  timeoutMs: number;
  /** `null` while paused. */
  activeSinceMs: number | null;
};

const missedSlots = 3;
/** Clocks of two machines differ by less; a time further ahead was stored before the clock was set back. */
const aheadMs = 60_000;
const travelMs = 5_000;

/**
 * `lastCheckedAtMs`: `null` counts from when it became active. A slot is missed when its result could have arrived
 * but did not.
 */
export const isStale = (monitor: MonitorTiming, lastCheckedAtMs: number | null, nowMs: number): boolean =>
  countMissed(monitor, lastCheckedAtMs, nowMs) >= missedSlots;

export function countMissed(
  { id, intervalMs, timeoutMs, activeSinceMs }: MonitorTiming,
  lastCheckedAtMs: number | null,
  nowMs: number,
): number {
  if (activeSinceMs === null) return 0;
  const sinceMs = Math.max(activeSinceMs > nowMs + aheadMs ? 0 : activeSinceMs, Math.min(lastCheckedAtMs ?? 0, nowMs));
  const graceMs = Math.min(intervalMs, timeoutMs + travelMs);
  return slotsBetween(id, intervalMs, sinceMs + 1, nowMs - graceMs);
}

type ReportableMonitor = MonitorTiming & {
  locations: readonly string[];
  /** By its own incident or by that of its locations. */
  isStaleReported: boolean;
  hasStaleIncident: boolean;
};

/**
 * Returns whether to report the silence of a monitor with its own incident or, if none of its locations is served,
 * with theirs; `null` for nothing to report. Its own incident needs slots missed while a location was served: a
 * runner that was briefly offline must not cause one incident per monitor.
 * @param sinceMs the last result, or since when this process would have seen one
 * @param servedSinceMs since when a location is served; `null` if it is not
 */
export function silenceOf(
  monitor: ReportableMonitor,
  sinceMs: number,
  servedSinceMs: (location: string) => number | null,
  nowMs: number,
): "own" | "location" | null {
  if (!isStale(monitor, sinceMs, nowMs)) return null;
  const served = monitor.locations.map(servedSinceMs).filter((ms) => ms !== null);
  if (served.length === 0) return monitor.isStaleReported ? null : "location";
  const isOwn = !monitor.hasStaleIncident && isStale(monitor, Math.max(sinceMs, Math.min(...served)), nowMs);
  return isOwn ? "own" : null;
}
