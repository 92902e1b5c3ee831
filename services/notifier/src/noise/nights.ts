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
  const counted = [...Map.groupBy(quarters, ({ userId }) => userId)].map(([userId, own]) => {
    const timeZone = timeZoneOf(userId);
    const atNight = own.flatMap(({ quarter, notifications }) => {
      const at = Temporal.Instant.fromEpochMilliseconds(quarter * quarterMs).toZonedDateTimeISO(timeZone);
      if (at.hour >= morningHour && at.hour < eveningHour) return [];
      return [
        {
          night: at
            .subtract({ hours: at.hour < morningHour ? 24 : 0 })
            .toPlainDate()
            .toString(),
          notifications,
        },
      ];
    });
    const notifications = atNight.reduce((sum, one) => sum + one.notifications, 0);
    return { userId, nights: new Set(atNight.map(({ night }) => night)).size, notifications };
  });
  return counted
    .filter(({ nights }) => nights > 0)
    .sort((one, other) => other.nights - one.nights || other.notifications - one.notifications);
}
