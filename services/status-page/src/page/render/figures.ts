import type { PageLanguage } from "@sonde/proto/http/status/documents";
import { html, type Html } from "@sonde/kit/http/html";
import type { PageView } from "./document.ts";

const made = new Map<string, unknown>();

/** Intl objects are slow to make, and there are few of them. */
function once<Value>(key: string, make: () => Value): Value {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as Value;
}

/** `100%`, `99.98%`: rounded down, so that only 100 is shown as 100%. `percent`: 0 to 100. */
export function percentText(percent: number, language: PageLanguage): string {
  const hundredths = Math.floor(percent * 100 + 1e-6);
  const digits = hundredths % 10_000 === 0 ? 0 : 2;
  const style = once(
    `percent ${language} ${digits}`,
    () => new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: digits }),
  );
  return style.format(hundredths / 10_000);
}

/** `128 ms`, `1.25 s`. */
export function responseText(durationMs: number, language: PageLanguage): string {
  const [value, unit] = durationMs < 999.5 ? [durationMs, "ms"] : [durationMs / 1000, "s"];
  const digits = unit === "s" ? 2 : durationMs < 9.95 ? 1 : 0;
  const style = once(
    `decimals ${language} ${digits}`,
    () => new Intl.NumberFormat(language, { maximumFractionDigits: digits }),
  );
  return `${style.format(value)}\u00A0${unit}`;
}

/** A time in its two largest units, to the minute: `1 hr 12 min`; less than one minute is one. */
export function spanText(durationMs: number, language: PageLanguage): string {
  const minutes = Math.max(1, Math.round(durationMs / 60_000));
  const days = Math.floor(minutes / 1440);
  const parts = { days, hours: Math.floor(minutes / 60) % 24, minutes: days > 0 ? 0 : minutes % 60 };
  const style = once(`span ${language}`, () => new Intl.DurationFormat(language, { style: "short" }));
  // A comma would be ambiguous between several figures in a row.
  return style.format(parts).replaceAll(",", "");
}

const date = (language: PageLanguage, name: string, options: Intl.DateTimeFormatOptions) =>
  once(`date ${name} ${language}`, () => new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options }));

/** A UTC day; `at`: anything of that day. Several days: from the first to the last. */
export function dayText(from: string | number, to: string | number, { language, say }: PageView): string {
  const style = date(language, "day", { month: "short", day: "numeric" });
  const [first, last] = [style.format(new Date(from)), style.format(new Date(to))];
  if (first === last) return first;
  // Intl writes a range of Chinese days with slashes, unlike each of the two alone.
  if (language === "zh-CN") return `${first}${say.to}${last}`;
  return style.formatRange(new Date(from), new Date(to)).replaceAll("\u2009", " ");
}

/** The same with its weekday and year. */
export const longDayText = (at: string | number, language: PageLanguage): string =>
  date(language, "long", { weekday: "short", year: "numeric", month: "long", day: "numeric" }).format(new Date(at));

export const monthText = (at: string | number, language: PageLanguage): string =>
  date(language, "month", { year: "numeric", month: "long" }).format(new Date(at));

const minuteStyle = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** An instant in UTC; the script replaces it by the reader's own zone. */
export function timeTag(at: string, { language, say }: PageView): Html {
  return html`<time datetime="${at}">${date(language, "minute", minuteStyle).format(new Date(at))} ${say.utc}</time>`;
}

/** An instant, which the script turns into how long ago it is. */
export function agoTag(at: string, { language, say }: PageView): Html {
  const text = date(language, "minute", minuteStyle).format(new Date(at));
  return html`<time datetime="${at}" data-ago>${text} ${say.utc}</time>`;
}

/** From one instant to another: the second without its day if that is the same. */
export function rangeTags(from: string, to: string, { language, say }: PageView): Html {
  const isOneDay = from.slice(0, 10) === to.slice(0, 10);
  const style = isOneDay
    ? date(language, "clock", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
    : date(language, "minute", minuteStyle);
  const first = date(language, "minute", minuteStyle).format(new Date(from));
  const last = `${style.format(new Date(to))} ${say.utc}`;
  return html`<span class="range"
    ><time datetime="${from}">${first}</time> ${say.to} <time datetime="${to}">${last}</time></span
  >`;
}
