import type { QuietHours } from "@sonde/proto/http/notifications/settings";

/**
 * The end of the quiet hours that contain an instant; null outside of them. Both are epoch milliseconds.
 * Start and end of each day become instants by the rules of the zone (RFC 5545: a time that a clock skips is read by
 * the offset before, of one that occurs twice the first counts), so that quiet hours across a clock change have their
 * real length, and end after their start.
 */
export function quietUntil({ start, end, timeZone }: QuietHours, nowMs: number): number | null {
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs));
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const endsNextDay = end < start;
  const at = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds;
  // Those that began yesterday may not be over.
  for (const day of [today.subtract({ days: 1 }), today]) {
    const endMs = at(endsNextDay ? day.add({ days: 1 }) : day, end);
    if (at(day, start) <= nowMs && nowMs < endMs) return endMs;
  }
  return null;
}
