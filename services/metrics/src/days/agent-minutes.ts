import { type MaintenanceSpan as Span, overlaps } from "@sonde/kit/maintenance/spans";
import { hourMs } from "../rollups/instants.ts";
import { type HourMap, isFull, isInMap } from "../samples/hour-maps.ts";

const minuteMs = 60_000;
const minutesPerHour = 60;
const minutesPerDay = 24 * minutesPerHour;

/** Minutes of an agent on each of some days, side by side. */
export type AgentMinutes = Record<"expected" | "seen" | "up" | "monitoredMinutes" | "maintenanceMinutes", number[]>;

export type AgentMinutesInput = {
  firstMs: number;
  dayCount: number;
  /** Minutes count from the first whole one at or after this instant, up to the last whole one before the other. */
  fromMs: number;
  toMs: number;
  /** Minutes with samples, by hours since 1970; hours without any may be absent. */
  hours: ReadonlyMap<number, HourMap>;
  /** Minutes after that of a sample for which the agent was there too (`minutesAfterSample`). */
  reach: number;
  maintenance: readonly Span[];
  offline: readonly Span[];
};

/**
 * How many minutes beyond its own a sample speaks for: until the next one is due, with a quarter of the interval for its
 * delay. None where samples come so often that each minute has one.
 */
export function minutesAfterSample(intervalMs: number): number {
  if (!(intervalMs > 0)) return 0;
  return Math.min(minutesPerDay, Math.floor((1.25 * intervalMs) / minuteMs));
}

/**
 * Counts minutes: one covered by a sample is up; another within an offline incident was seen too, and not up; any other
 * is unknown. Minutes that touch a maintenance window are in none of the three.
 */
export function countMinutes(input: AgentMinutesInput): AgentMinutes {
  const { firstMs, dayCount, reach, maintenance, offline } = input;
  const zeros = () => Array.from({ length: dayCount }, () => 0);
  const counts: AgentMinutes = {
    expected: zeros(),
    seen: zeros(),
    up: zeros(),
    monitoredMinutes: zeros(),
    maintenanceMinutes: zeros(),
  };
  const firstMinute = Math.ceil(input.fromMs / minuteMs);
  const endMinute = Math.floor(input.toMs / minuteMs);
  const firstHour = Math.floor(firstMinute / minutesPerHour);
  let upUntil = -1;
  // Samples of before may speak for the first minutes.
  for (let hour = firstHour - Math.ceil(reach / minutesPerHour); hour * minutesPerHour < endMinute; hour++) {
    const map = input.hours.get(hour);
    const startMs = hour * hourMs;
    const start = hour * minutesPerHour;
    const day = Math.floor((startMs - firstMs) / (24 * hourMs));
    const hasMaintenance = overlaps(maintenance, startMs, startMs + hourMs);
    const wasOffline = overlaps(offline, startMs, startMs + hourMs);
    const isWhole = start >= firstMinute && start + minutesPerHour <= endMinute && !hasMaintenance;
    // Nearly every hour is one of these two: they are counted at once.
    const isUp = isWhole && map !== undefined && isFull(map);
    const isUnknown = isWhole && map === undefined && upUntil < start && !wasOffline;
    if (isUp || isUnknown) {
      counts.expected[day]! += minutesPerHour;
      counts.monitoredMinutes[day]! += minutesPerHour;
      if (isUp) {
        counts.seen[day]! += minutesPerHour;
        counts.up[day]! += minutesPerHour;
        upUntil = start + minutesPerHour - 1 + reach;
      }
      continue;
    }
    for (let minute = start; minute < start + minutesPerHour; minute++) {
      if (map !== undefined && isInMap(map, minute - start)) upUntil = minute + reach;
      if (minute < firstMinute || minute >= endMinute) continue;
      const fromMs = minute * minuteMs;
      counts.monitoredMinutes[day]! += 1;
      if (hasMaintenance && overlaps(maintenance, fromMs, fromMs + minuteMs)) {
        counts.maintenanceMinutes[day]! += 1;
        continue;
      }
      const isMinuteUp = minute <= upUntil;
      counts.expected[day]! += 1;
      if (isMinuteUp) counts.up[day]! += 1;
      if (isMinuteUp || (wasOffline && overlaps(offline, fromMs, fromMs + minuteMs))) counts.seen[day]! += 1;
    }
  }
  return counts;
}
