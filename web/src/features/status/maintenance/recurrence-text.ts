import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import { useTranslation } from "react-i18next";
import { formatDate } from "../../../lib/format.ts";
import { dayOf, fromRule, type Weekday, weekdays } from "./recurrence.ts";
import { wallTime } from "./zone-time.ts";

/** A Monday. */
const mondayMs = Date.UTC(2026, 2, 2);
const dayMs = 86_400_000;

/** What a weekday is called. */
export function weekdayName(day: Weekday, language: string, style: "long" | "short" = "long"): string {
  const atMs = mondayMs + weekdays.indexOf(day) * dayMs;
  return new Intl.DateTimeFormat(language, { weekday: style, timeZone: "UTC" }).format(atMs);
}

/** The words that the choices of a monthly recurrence are filled with, for what first starts on a day. */
export function useMonthlyWords(): (start: string) => { day: number; nth: string; weekday: string } {
  const { t, i18n } = useTranslation();
  return (start) => {
    const { weekday, nth } = dayOf(start);
    const number = String(nth) as "1" | "2" | "3" | "4" | "5";
    return {
      day: Number(start.slice(8, 10)) || 1,
      nth: t(`maintenance.nth.${number}`),
      weekday: weekdayName(weekday, i18n.language),
    };
  };
}

/** How a window recurs, in words; its own rule where there are none; empty: once. */
export function useRecurrenceText({ rrule, start, timeZone }: Maintenance): string {
  const { t, i18n } = useTranslation();
  const wordsOf = useMonthlyWords();
  const wall = wallTime(Date.parse(start), timeZone);
  const { repeat, days, monthly, ending, count, until } = fromRule(rrule ?? "", wall);
  if (repeat === "once") return "";
  if (repeat === "custom") return rrule ?? "";
  const language = i18n.language;
  const words = wordsOf(wall);
  const named = new Intl.ListFormat(language, { type: "unit", style: "short" }).format(
    days.map((day) => weekdayName(day, language, days.length > 1 ? "short" : "long")),
  );
  const texts = {
    daily: () => t("maintenance.recurs.daily"),
    weekly: () => t("maintenance.recurs.weekly", { days: named }),
    monthly: () =>
      ({
        day: () => t("maintenance.recurs.monthlyDay", words),
        nth: () => t("maintenance.recurs.monthlyNth", words),
        last: () => t("maintenance.recurs.monthlyLast", words),
      })[monthly](),
  };
  const end = {
    never: () => "",
    count: () => t("maintenance.recurs.times", { count: Number(count) }),
    until: () => t("maintenance.recurs.until", { date: formatDate(until, language) }),
  }[ending]();
  return [texts[repeat](), end].filter((text) => text !== "").join(", ");
}
