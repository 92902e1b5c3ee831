import { slotsBetween } from "@sonde/kit/time/slots";

export type MonitorTiming = {
  id: number;
  intervalMs: number;
  timeoutMs: number;
  /** null while paused. */
  activeSinceMs: number | null;
};

const missedSlots = 3;
/** Clocks of two machines differ by less; an instant further ahead was kept before the clock was set back. */
const aheadMs = 60_000;
const travelMs = 5_000;

/**
 * Whether a monitor missed three slots since its last check (null: since it became active), by arithmetic alone.
 * A slot is missed when its result could have come, but did not.
 */
export const isStale = (monitor: MonitorTiming, lastCheckedAtMs: number | null, nowMs: number): boolean =>
  countMissed(monitor, lastCheckedAtMs, nowMs) >= missedSlots;

/** How many slots a monitor missed since an instant. */
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
  /** Its silence was reported, with an incident of its own or with that of its locations. */
  toldStale: boolean;
  hasStaleIncident: boolean;
};

/**
 * Returns how the silence of a monitor is to be reported: by an incident of its own, or by one of its locations if none of
 * them is served. Null if there is nothing to report. Slots count for an incident of its own only while a location is served:
 * a runner that was away for a moment must not make one incident a monitor.
 * @param sinceMs the last result, or the instant since when results would have been seen
 * @param servedSinceMs since when a location is served; null: it is not
 */
export function silenceOf(
  monitor: ReportableMonitor,
  sinceMs: number,
  servedSinceMs: (location: string) => number | null,
  nowMs: number,
): "own" | "location" | null {
  if (!isStale(monitor, sinceMs, nowMs)) return null;
  const served = monitor.locations.map(servedSinceMs).filter((ms) => ms !== null);
  if (served.length === 0) return monitor.toldStale ? null : "location";
  const isOwn = !monitor.hasStaleIncident && isStale(monitor, Math.max(sinceMs, Math.min(...served)), nowMs);
  return isOwn ? "own" : null;
}
