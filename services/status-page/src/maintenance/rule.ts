import { type FieldFault, invalid } from "@sonde/kit/errors";

const frequencies = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
type Frequency = (typeof frequencies)[number];

/** A recurrence (RFC 5545 3.3.10) of at most once a day, as rrule-temporal takes it. */
export type Rule = {
  freq: Frequency;
  interval: number;
  count?: number;
  /** Last possible start, in UTC or in the schedule's time zone. */
  until?: { wall: Temporal.PlainDateTime; isUtc: boolean };
  byDay?: string[];
  byMonth?: number[];
  byMonthDay?: number[];
  bySetPos?: number[];
  wkst?: string;
};

/** Rarer recurrences do not occur in practice, and would be searched for over centuries. */
const largestInterval: Readonly<Record<Frequency, number>> = { DAILY: 366, WEEKLY: 52, MONTHLY: 24, YEARLY: 4 };
const largestCount = 1_000;
const knownParts = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTH", "BYMONTHDAY", "BYSETPOS", "WKST"];
const weekday = "(?:MO|TU|WE|TH|FR|SA|SU)";

/**
 * Parses a recurrence.
 * @param text `FREQ=WEEKLY;BYDAY=SU`, in upper or lower case, with or without `RRULE:`; empty for a single occurrence
 * @throws AppError `invalid` at `rrule` if it is malformed, recurs more than once a day, or is not supported
 */
export function readRule(text: string): Rule | null {
  const rule = ruleText(text);
  if (rule === "") return null;
  if (/\s|DTSTART|EXDATE|RDATE/.test(rule)) fail("Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates");
  const parts = new Map<string, string>();
  for (const part of rule.split(";")) {
    const [name = "", value = "", ...more] = part.split("=");
    if (value === "" || more.length > 0) fail("Enter a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates");
    if (["BYHOUR", "BYMINUTE", "BYSECOND"].includes(name)) fail("It can recur at most once a day");
    if (!knownParts.includes(name)) fail("A recurrence can contain only {parts}", { parts: knownParts.join(", ") });
    if (parts.has(name)) invalidPart(name);
    parts.set(name, value);
  }
  return compose(parts);
}

export const ruleText = (text: string): string =>
  text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "");

function compose(parts: ReadonlyMap<string, string>): Rule {
  const freq = frequencies.find((one) => one === parts.get("FREQ"));
  if (freq === undefined) {
    if (["HOURLY", "MINUTELY", "SECONDLY"].includes(parts.get("FREQ") ?? "")) fail("It can recur at most once a day");
    return invalidPart("FREQ");
  }
  if (parts.has("COUNT") && parts.has("UNTIL")) fail("Use COUNT or UNTIL, not both");
  const ordinals = freq === "MONTHLY" || freq === "YEARLY" ? "(?:[+-]?[1-5])?" : "";
  if (freq === "WEEKLY" && parts.has("BYMONTHDAY")) invalidPart("BYMONTHDAY");
  const rule: Rule = {
    freq,
    interval: readNumber(parts, "INTERVAL", largestInterval[freq]) ?? 1,
    count: readNumber(parts, "COUNT", largestCount),
    until: readUntil(parts.get("UNTIL")),
    byDay: readList(parts, "BYDAY", new RegExp(`^${ordinals}${weekday}$`)),
    byMonth: readNumbers(parts, "BYMONTH", { max: 12, mayBeNegative: false }),
    byMonthDay: readNumbers(parts, "BYMONTHDAY", { max: 31, mayBeNegative: true }),
    bySetPos: readNumbers(parts, "BYSETPOS", { max: 366, mayBeNegative: true }),
    wkst: readList(parts, "WKST", new RegExp(`^${weekday}$`))?.[0],
  };
  // RFC 5545: BYSETPOS selects from what another BY part yields.
  if (rule.bySetPos !== undefined && !rule.byDay && !rule.byMonth && !rule.byMonthDay) invalidPart("BYSETPOS");
  return rule;
}

function readNumber(parts: ReadonlyMap<string, string>, name: string, max: number): number | undefined {
  const text = parts.get(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1) return invalidPart(name);
  if (Number(text) > max) fail("{part} can be at most {max}", { part: name, max });
  return Number(text);
}

function readList(parts: ReadonlyMap<string, string>, name: string, pattern: RegExp): string[] | undefined {
  const values = parts.get(name)?.split(",");
  if (values?.every((value) => pattern.test(value)) === false) invalidPart(name);
  return values && [...new Set(values)];
}

function readNumbers(
  parts: ReadonlyMap<string, string>,
  name: string,
  { max, mayBeNegative }: { max: number; mayBeNegative: boolean },
): number[] | undefined {
  const numbers = readList(parts, name, mayBeNegative ? /^[+-]?\d{1,3}$/ : /^\d{1,2}$/)?.map(Number);
  if (numbers?.every((number) => number !== 0 && Math.abs(number) <= max) === false) invalidPart(name);
  return numbers;
}

/** A date without time includes the whole day. */
function readUntil(text: string | undefined): Rule["until"] {
  if (text === undefined) return undefined;
  const found = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(text);
  if (found === null) return invalidPart("UNTIL");
  const [, year, month, day, hour = "23", minute = "59", second = "59", zone] = found;
  try {
    const wall = Temporal.PlainDateTime.from(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
    return { wall, isUtc: zone === "Z" };
  } catch {
    return invalidPart("UNTIL");
  }
}

const invalidPart = (part: string): never => fail("{part} is not valid in the recurrence", { part });

function fail(message: FieldFault["message"], params?: FieldFault["params"]): never {
  throw invalid([{ path: "rrule", message, params }]);
}
