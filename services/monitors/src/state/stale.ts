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
export function isStale(
  { id, intervalMs, timeoutMs, activeSinceMs }: MonitorTiming,
  lastCheckedAtMs: number | null,
  nowMs: number,
): boolean {
  if (activeSinceMs === null) return false;
  const sinceMs = Math.max(activeSinceMs > nowMs + aheadMs ? 0 : activeSinceMs, Math.min(lastCheckedAtMs ?? 0, nowMs));
  const graceMs = Math.min(intervalMs, timeoutMs + travelMs);
  return slotsBetween(id, intervalMs, sinceMs + 1, nowMs - graceMs) >= missedSlots;
}
