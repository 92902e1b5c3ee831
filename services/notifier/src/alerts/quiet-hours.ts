import type { QuietHours } from "@sonde/proto/http/notification-settings";

/**
 * The end of the quiet hours that an instant lies in; null outside of them. Both are epoch milliseconds.
 *
 * Beginning and end of each day become instants by the rules of the zone (RFC 5545: a time that a clock skips is read by
 * the offset before, of one that it shows twice the first counts), so that the night of a change of clocks is as long as
 * it really is, and an end is always after its beginning.
 */
export function quietUntil({ start, end, timeZone }: QuietHours, nowMs: number): number | null {
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs));
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const endsNextDay = end < start;
  const at = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds;
  // Those that began yesterday may still go on.
  for (const day of [today.subtract({ days: 1 }), today]) {
    const endMs = at(endsNextDay ? day.add({ days: 1 }) : day, end);
    if (at(day, start) <= nowMs && nowMs < endMs) return endMs;
  }
  return null;
}
