import { ownTimeZone } from "../../lib/format.ts";
import { timeOfDay } from "../../lib/zone-time.ts";

/** End of a snooze or silence: minutes from now, or an ISO 8601 time. */
export type QuietEnd = { minutes: number } | { until: string };

const minutesOf = { m30: 30, h1: 60, h2: 120, h4: 240, d1: 1_440, d3: 4_320, d7: 10_080 };
export type EndName = keyof typeof minutesOf | "morning";
const quickNames: readonly EndName[] = ["m30", "h1", "h2", "h4", "morning"];
/** For silences, which may be longer than snoozes. */
export const silenceEnds: readonly EndName[] = ["m30", "h1", "h2", "h4", "morning", "d1", "d3", "d7"];
const morningTime = "08:00";
// The server's limits, with a margin of one minute for clock differences.
export const minQuietMs = 6 * 60_000;
const maxSnoozeMs = 24 * 3_600_000 - 60_000;
export const maxSilenceMs = 7 * 86_400_000 - 60_000;

/** Returns the ends to choose from. `morning` is the next 08:00, omitted if it is too far away. */
export function endsFrom(nowMs: number, names = quickNames): { name: EndName; end: QuietEnd }[] {
  const morningOf = (days: number) => timeOfDay(morningTime, nowMs, days, ownTimeZone());
  const today = morningOf(0);
  const morningMs = today - nowMs < minQuietMs ? morningOf(1) : today;
  const isFar = morningMs - nowMs > maxSnoozeMs;
  return names.flatMap((name): { name: EndName; end: QuietEnd }[] => {
    if (name !== "morning") return [{ name, end: { minutes: minutesOf[name] } }];
    return isFar ? [] : [{ name, end: { until: new Date(morningMs).toISOString() } }];
  });
}
