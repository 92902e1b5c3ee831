/** Formats figures and times. All functions take the app's language (`zh-CN`, `en-US`) and cache their Intl objects. */

export const none = "–";
const cache = new Map<string, unknown>();

/** Memoises by key. Intl objects are slow to create. */
export function cached<Value>(key: string, make: () => Value): Value {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key) as Value;
}

/** `one, two`, `一、二`: a list without "and". Intl's list type `unit` has no separator in Chinese. */
export const formatList = (items: readonly string[], language: string): string =>
  items.join(language === "zh-CN" ? "、" : ", ");

/** Joins clauses to a sentence. */
export const formatClauses = (clauses: readonly string[], language: string): string =>
  clauses.join(language === "zh-CN" ? "，" : ", ");

/** Formats milliseconds: `0.8 ms`, `128 ms`, `1.25 s`, `2 min 5 s`. `null` is a dash. */
export function formatDuration(durationMs: number | null | undefined, language: string): string {
  if (durationMs === null || durationMs === undefined) return none;
  if (durationMs < 999.5) return `${decimals(durationMs, language, durationMs < 9.95 ? 1 : 0)}\u00a0ms`;
  if (durationMs < 60_000) return `${decimals(durationMs / 1000, language, 2)}\u00a0s`;
  return formatSpan(durationMs, language);
}

export function decimals(value: number, language: string, digits: number): string {
  const style = cached(
    `decimals ${language} ${digits}`,
    () => new Intl.NumberFormat(language, { maximumFractionDigits: digits }),
  );
  return style.format(value);
}

/** Formats milliseconds in the two largest units: `2 min 5 sec`, `12 days 4 hr`, `4 分 14 秒`, `30 分钟`. */
export function formatSpan(durationMs: number, language: string): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const parts = [
    ["day", Math.floor(seconds / 86_400)],
    ["hour", Math.floor(seconds / 3600) % 24],
    ["minute", Math.floor(seconds / 60) % 60],
    ["second", seconds % 60],
  ] as const;
  const first = parts.findIndex(([, amount]) => amount > 0);
  if (first === -1) return unit(0, "second", language);
  const shown = parts.slice(first, first + 2).filter(([, amount]) => amount > 0);
  const text = shown.map(([name, amount]) => unit(amount, name, language)).join(" ");
  return shown.length > 1 ? text.replace("分钟", "分") : text;
}

export function formatDays(days: number, language: string): string {
  return unit(days, "day", language);
}

/** Chinese has a space between a number and a word, which Intl does not add. */
const spaced = (text: string) => text.replace(/(\d)(?=\p{Script=Han})/gu, "$1 ");

function unit(value: number, name: string, language: string): string {
  const style = cached(
    `unit ${name} ${language}`,
    () =>
      new Intl.NumberFormat(language, {
        style: "unit",
        unit: name,
        unitDisplay: "short",
        maximumFractionDigits: 0,
      }),
  );
  return spaced(style.format(value));
}

/**
 * Formats a percentage from 0 to 100: `99.98%`, `100%`. Rounds down, so that only 100 is shown as 100 %. Other values
 * keep both decimals to align columns. `null` is a dash.
 */
export function formatPercent(percent: number | null | undefined, language: string): string {
  if (percent === null || percent === undefined) return none;
  const hundredths = Math.floor(percent * 100 + 1e-6);
  const digits = hundredths % 10_000 === 0 ? 0 : 2;
  const style = cached(
    `percent ${language} ${digits}`,
    () =>
      new Intl.NumberFormat(language, {
        style: "percent",
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  );
  return style.format(hundredths / 10_000);
}

/** Formats a change in percent with its sign: `+12%`, `−25%`, `0%`. */
export function formatChange(percent: number, language: string): string {
  const style = cached(
    `change ${language}`,
    () => new Intl.NumberFormat(language, { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 }),
  );
  return style.format(percent / 100).replace("-", "−");
}

export function formatNumber(value: number, language: string): string {
  return cached(`number ${language}`, () => new Intl.NumberFormat(language)).format(value);
}

/** Date and time with seconds, in the user's time zone. */
export function formatDateTime(at: string | number | Date, language: string): string {
  const style = { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23", timeZone: ownTimeZone() } as const;
  return dateStyle(language, "second", style).format(new Date(at));
}

/** For tables, without the current year: `11-23 07:24:22`, `Nov 23, 07:24:22`. */
export function formatShortDateTime(at: string | number | Date, language: string, nowMs = Date.now()): string {
  const date = new Date(at);
  if (date.getFullYear() !== new Date(nowMs).getFullYear()) return formatDateTime(at, language);
  const month = language === "zh-CN" ? "2-digit" : "short";
  const day = language === "zh-CN" ? "2-digit" : "numeric";
  const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  const text = dateStyle(language, "short", { month, day, ...clock, timeZone: ownTimeZone() }).format(date);
  return language === "zh-CN" ? text.replace("/", "-") : text;
}

export function formatTime(at: string | number | Date, language: string): string {
  const style = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: ownTimeZone() } as const;
  return dateStyle(language, "time", style).format(new Date(at));
}

/** Date of a UTC day, as counted by the server. */
export function formatDate(at: string | number | Date, language: string): string {
  return formatLocalDate(at, language, "UTC");
}

function dateStyle(language: string, name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cached(`date ${name} ${language}`, () => new Intl.DateTimeFormat(language, options));
}

const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

// Counting these seconds would flicker.
const justNowMs = 10_000;

/** Days of the calendar from one instant to another, in the user's time zone. */
function calendarDays(fromMs: number, toMs: number): number {
  // Swedish dates are in ISO 8601 format.
  const style = dateStyle("sv-SE", "day", { dateStyle: "short", timeZone: ownTimeZone() });
  return (Date.parse(style.format(toMs)) - Date.parse(style.format(fromMs))) / steps[0][1];
}

/**
 * Formats a relative time: `just now`, `12 seconds ago`, `tomorrow`. From 24 hours on, it counts calendar days. Future
 * times are rounded, so that 1:59:59 hours from now is `in 2 hours`.
 */
export function formatRelative(at: string | number, nowMs: number, language: string): string {
  const exactMs = new Date(at).getTime() - nowMs;
  if (exactMs <= 0 && exactMs > -justNowMs) return language === "zh-CN" ? "刚刚" : "just now";
  const style = cached(`relative ${language}`, () => new Intl.RelativeTimeFormat(language, { numeric: "auto" }));
  const days = Math.abs(exactMs) < steps[0][1] ? 0 : calendarDays(nowMs, nowMs + exactMs);
  if (days !== 0) return spaced(style.format(days, "day"));
  const minuteMs = steps[2][1];
  const awayMs = exactMs >= minuteMs ? Math.round(exactMs / minuteMs) * minuteMs : exactMs;
  const [name, sizeMs] = steps.slice(1).find(([, size]) => Math.abs(awayMs) >= size) ?? steps[3];
  return spaced(style.format(awayMs > 0 ? Math.round(awayMs / sizeMs) : Math.trunc(awayMs / sizeMs), name));
}

/** Day and month in an IANA time zone, by default the user's. */
export function formatLocalDay(at: string | number | Date, language: string, timeZone = ownTimeZone()): string {
  const style = { month: "short", day: "numeric", timeZone } as const;
  return dateStyle(language, `day ${timeZone}`, style).format(new Date(at));
}

export function formatLocalDate(at: string | number | Date, language: string, timeZone = ownTimeZone()): string {
  return dateStyle(language, `date ${timeZone}`, { dateStyle: "medium", timeZone }).format(new Date(at));
}

/** Formats a period in epoch milliseconds without the year: `Nov 23 09:00 – 11:00`, `Nov 23 09:00 – Nov 25 11:00`. */
export function formatPeriod({ fromMs, toMs }: { fromMs: number; toMs: number }, language: string): string {
  const [day, lastDay] = [fromMs, toMs].map((at) => formatLocalDay(at, language));
  const end = formatTime(toMs, language);
  return `${day} ${formatTime(fromMs, language)} – ${day === lastDay ? end : `${lastDay} ${end}`}`;
}

let chosenZone: string | null = null;

/** Sets the IANA time zone of all times. `null` or an unknown zone means the browser's. */
export function showTimesIn(timeZone: string | null): void {
  chosenZone = timeZone !== null && isZone(timeZone) ? timeZone : null;
  cache.clear();
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Returns the selected time zone, else the browser's, else UTC. */
export function ownTimeZone(): string {
  if (chosenZone !== null) return chosenZone;
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone === undefined || zone === "Etc/Unknown" ? "UTC" : zone;
}
