import type { Noise } from "@sonde/proto/http/notifications/noise";

/** Notifications of a user's contacts within a quarter of an hour, which is in one night or in none. */
export type NotifiedQuarter = { userId: number; quarter: number; notifications: number };

const quarterMs = 900_000;
const [eveningHour, morningHour] = [22, 7];

/** Counts the nights of each user with a notification, most first. */
export function countNights(
  quarters: readonly NotifiedQuarter[],
  timeZoneOf: (userId: number) => string,
): Noise["nights"] {
  const counted = [...Map.groupBy(quarters, ({ userId }) => userId)].flatMap(([userId, own]) => {
    const timeZone = timeZoneOf(userId);
    const nights = new Set<string>();
    let total = 0;
    for (const { quarter, notifications } of own) {
      const at = Temporal.Instant.fromEpochMilliseconds(quarter * quarterMs).toZonedDateTimeISO(timeZone);
      if (at.hour >= morningHour && at.hour < eveningHour) continue;
      nights.add(at.subtract({ hours: 12 }).toPlainDate().toString());
      total += notifications;
    }
    return nights.size === 0 ? [] : [{ userId, nights: nights.size, notifications: total }];
  });
  return counted.sort((one, other) => other.nights - one.nights || other.notifications - one.notifications);
}
