import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import { useTranslation } from "react-i18next";
import { formatDate, formatList } from "../../lib/format.ts";
import { type Weekday, weekdayName, weekdays } from "../../lib/weekdays.ts";
import { wallTime } from "../../lib/zone-time.ts";

export const repeats = ["once", "daily", "weekly", "monthly", "custom"] as const;
type Repeat = (typeof repeats)[number];
export const monthlies = ["day", "nth", "last"] as const;
export const endings = ["never", "count", "until"] as const;

export type Recurrence = {
  repeat: Repeat;
  days: Weekday[];
  monthly: (typeof monthlies)[number];
  ending: (typeof endings)[number];
  count: string;
  /** For example `2026-12-31`. */
  until: string;
  /** Custom rule (RFC 5545). */
  rrule: string;
};

export const noRecurrence: Recurrence = {
  repeat: "once",
  days: [],
  monthly: "day",
  ending: "never",
  count: "10",
  until: "",
  rrule: "",
};

/**
 * Returns a date's weekday and which one of its month it is.
 * @param date `2026-03-29`, optionally with a time
 */
export function weekdayOf(date: string): { weekday: Weekday; nth: number } {
  const day = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  const known = !Number.isNaN(day.getTime());
  return {
    weekday: known ? weekdays[(day.getUTCDay() + 6) % 7]! : "MO",
    nth: known ? Math.ceil(day.getUTCDate() / 7) : 1,
  };
}

export function toRule({ repeat, days, monthly, ending, count, until, rrule }: Recurrence, start: string): string {
  if (repeat === "once") return "";
  if (repeat === "custom") return rrule.trim();
  const { weekday, nth } = weekdayOf(start);
  const chosen = weekdays.filter((day) => days.includes(day));
  const by: Partial<Record<Repeat, string>> = {
    weekly: `BYDAY=${(chosen.length > 0 ? chosen : [weekday]).join(",")}`,
    monthly: monthly === "day" ? "" : `BYDAY=${monthly === "last" ? -1 : nth}${weekday}`,
  };
  const end = { never: "", count: `COUNT=${count.trim()}`, until: `UNTIL=${until.replaceAll("-", "")}` }[ending];
  return [`FREQ=${repeat.toUpperCase()}`, by[repeat] ?? "", end].filter((part) => part !== "").join(";");
}

/** Sorts the days of a rule from Monday, as the form writes them. */
const inOrder = (rule: string) =>
  rule.replace(/BYDAY=([A-Z,]+)/, (_part, days: string) => {
    const sorted = days.split(",").toSorted((one, other) => placeOf(one) - placeOf(other));
    return `BYDAY=${sorted.join(",")}`;
  });
const placeOf = (day: string) => weekdays.findIndex((each) => each === day);

/** Converts a rule to form values, as a custom rule if the form's choices cannot reproduce it exactly. */
export function fromRule(rule: string, start: string): Recurrence {
  if (rule === "") return noRecurrence;
  const parts = new Map(rule.split(";").map((part) => part.split("=") as [string, string]));
  const byDay = parts.get("BYDAY") ?? "";
  const until = /^(\d{4})(\d\d)(\d\d)$/.exec(parts.get("UNTIL") ?? "");
  const read: Recurrence = {
    ...noRecurrence,
    repeat: repeats.find((repeat) => repeat.toUpperCase() === parts.get("FREQ")) ?? "custom",
    days: parts.get("FREQ") === "WEEKLY" ? weekdays.filter((day) => byDay.split(",").includes(day)) : [],
    monthly: byDay === "" ? "day" : byDay.startsWith("-1") ? "last" : "nth",
    ending: parts.has("COUNT") ? "count" : parts.has("UNTIL") ? "until" : "never",
    count: parts.get("COUNT") ?? noRecurrence.count,
    until: until === null ? "" : until.slice(1).join("-"),
  };
  return toRule(read, start) === inOrder(rule) ? read : { ...noRecurrence, repeat: "custom", rrule: rule };
}

export function useMonthlyWords(start: string): { day: number; nth: string; weekday: string } {
  const { t, i18n } = useTranslation();
  const { weekday, nth } = weekdayOf(start);
  return {
    day: Number(start.slice(8, 10)) || 1,
    nth: t(`maintenance.nth.${String(nth) as "1" | "2" | "3" | "4" | "5"}`),
    weekday: weekdayName(weekday, i18n.language),
  };
}

/** Describes a window's recurrence: empty if it does not recur, and the rule itself if it is custom. */
export function useRecurrenceText({ rrule, start, timeZone }: Maintenance): string {
  const { t, i18n } = useTranslation();
  const wall = wallTime(Date.parse(start), timeZone);
  const words = useMonthlyWords(wall);
  const { repeat, days, monthly, ending, count, until } = fromRule(rrule ?? "", wall);
  if (repeat === "once") return "";
  if (repeat === "custom") return rrule ?? "";
  const language = i18n.language;
  const named = formatList(
    days.map((day) => weekdayName(day, language, days.length > 1 ? "short" : "long")),
    language,
  );
  const monthlyKey = { day: "monthlyDay", nth: "monthlyNth", last: "monthlyLast" } as const;
  const pattern = {
    daily: () => t("maintenance.recurs.daily"),
    weekly: () => t("maintenance.recurs.weekly", { days: named }),
    monthly: () => t(`maintenance.recurs.${monthlyKey[monthly]}`, words),
  }[repeat]();
  if (ending === "count") return `${pattern}, ${t("maintenance.recurs.times", { count: Number(count) })}`;
  if (ending === "until") return `${pattern}, ${t("maintenance.recurs.until", { date: formatDate(until, language) })}`;
  return pattern;
}
