import { ownTimeZone } from "../../lib/format.ts";
import { timeOfDay } from "../../lib/zone-time.ts";

/** When a snooze or a silence is over: after so many minutes, or at an instant (ISO 8601). */
export type HoldEnd = { minutes: number } | { until: string };

export const endNames = ["m30", "h1", "h4", "morning"] as const;
export type EndName = (typeof endNames)[number];

const minutesOf = { m30: 30, h1: 60, h4: 240 };
/** In the reader's zone. */
const morningTime = "08:00";
// As the server takes them, with a minute for clocks that differ.
const shortestMs = 6 * 60_000;
const maxMs = 24 * 3_600_000 - 60_000;

/** The ends that people choose from. `morning` is the next 08:00; it is left out while that is too near or too far. */
export function endsFrom(nowMs: number): { name: EndName; end: HoldEnd }[] {
  const morningOf = (days: number) => timeOfDay(morningTime, nowMs, days, ownTimeZone());
  const today = morningOf(0);
  const morningMs = today - nowMs < shortestMs ? morningOf(1) : today;
  const isFar = morningMs - nowMs > maxMs;
  return endNames.flatMap((name): { name: EndName; end: HoldEnd }[] => {
    if (name !== "morning") return [{ name, end: { minutes: minutesOf[name] } }];
    return isFar ? [] : [{ name, end: { until: new Date(morningMs).toISOString() } }];
  });
}
