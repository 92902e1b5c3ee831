import { ownTimeZone } from "../../lib/format.ts";
import { timeOfDay } from "../../lib/zone-time.ts";

/** End of a snooze or silence: minutes from now, or an ISO 8601 time. */
export type QuietEnd = { minutes: number } | { until: string };

export const endNames = ["m30", "h1", "h4", "morning"] as const;
export type EndName = (typeof endNames)[number];

const minutesOf = { m30: 30, h1: 60, h4: 240 };
const morningTime = "08:00";
// The server's limits, with a margin of one minute for clock differences.
const minMs = 6 * 60_000;
const maxMs = 24 * 3_600_000 - 60_000;

/** Returns the ends to choose from. `morning` is the next 08:00, omitted if it is too far away. */
export function endsFrom(nowMs: number): { name: EndName; end: QuietEnd }[] {
  const morningOf = (days: number) => timeOfDay(morningTime, nowMs, days, ownTimeZone());
  const today = morningOf(0);
  const morningMs = today - nowMs < minMs ? morningOf(1) : today;
  const isFar = morningMs - nowMs > maxMs;
  return endNames.flatMap((name): { name: EndName; end: QuietEnd }[] => {
    if (name !== "morning") return [{ name, end: { minutes: minutesOf[name] } }];
    return isFar ? [] : [{ name, end: { until: new Date(morningMs).toISOString() } }];
  });
}
