export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export type Weekday = (typeof weekdays)[number];

const mondayMs = Date.UTC(2026, 2, 2);
const dayMs = 86_400_000;

export function weekdayName(day: Weekday, language: string, style: "long" | "short" = "long"): string {
  const atMs = mondayMs + weekdays.indexOf(day) * dayMs;
  return new Intl.DateTimeFormat(language, { weekday: style, timeZone: "UTC" }).format(atMs);
}
