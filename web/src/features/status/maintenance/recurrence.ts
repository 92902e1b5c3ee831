export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export type Weekday = (typeof weekdays)[number];
export const repeats = ["once", "daily", "weekly", "monthly", "custom"] as const;
export type Repeat = (typeof repeats)[number];
/** Of a monthly one: the same day of the month, its weekday counted from the first, or the last of its weekdays. */
export const monthlies = ["day", "nth", "last"] as const;
export type Monthly = (typeof monthlies)[number];
export const endings = ["never", "count", "until"] as const;
type Ending = (typeof endings)[number];

/** A recurrence as the form shows it. */
export type Recurrence = {
  repeat: Repeat;
  days: Weekday[];
  monthly: Monthly;
  ending: Ending;
  count: string;
  /** `2026-12-31` */
  until: string;
  /** A rule of their own (RFC 5545). */
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

/** What a day is: its weekday, and its number among those of its month. @param date `2026-03-29`, with a time or not */
export function dayOf(date: string): { weekday: Weekday; nth: number } {
  const day = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  const known = !Number.isNaN(day.getTime());
  return {
    weekday: known ? weekdays[(day.getUTCDay() + 6) % 7]! : "MO",
    nth: known ? Math.ceil(day.getUTCDate() / 7) : 1,
  };
}

/** The rule (RFC 5545) that is chosen, for what first starts on a day; empty: once. */
export function toRule({ repeat, days, monthly, ending, count, until, rrule }: Recurrence, start: string): string {
  if (repeat === "once") return "";
  if (repeat === "custom") return rrule.trim();
  const { weekday, nth } = dayOf(start);
  const chosen = weekdays.filter((day) => days.includes(day));
  const by: Partial<Record<Repeat, string>> = {
    weekly: `BYDAY=${(chosen.length > 0 ? chosen : [weekday]).join(",")}`,
    monthly: monthly === "day" ? "" : `BYDAY=${monthly === "last" ? -1 : nth}${weekday}`,
  };
  const end = { never: "", count: `COUNT=${count.trim()}`, until: `UNTIL=${until.replaceAll("-", "")}` }[ending];
  return [`FREQ=${repeat.toUpperCase()}`, by[repeat] ?? "", end].filter((part) => part !== "").join(";");
}

/** The days of a rule as the form names them: from Monday on. */
const inOrder = (rule: string) =>
  rule.replace(/BYDAY=([A-Z,]+)/, (_part, days: string) => {
    const sorted = days.split(",").toSorted((one, other) => placeOf(one) - placeOf(other));
    return `BYDAY=${sorted.join(",")}`;
  });
const placeOf = (day: string) => weekdays.findIndex((each) => each === day);

/** A rule as the form shows it: as choices where these would make the very same rule, else as its own text. */
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
