import type { Language } from "@sonde/proto/http/messages";

const cache = new Map<string, unknown>();

// Zones come from settings, so the number of cached styles is bounded.
const mostStyles = 200;

function cached<Value>(key: string, make: () => Value): Value {
  const known = cache.get(key) as Value | undefined;
  if (known !== undefined) return known;
  const made = make();
  if (cache.size < mostStyles) cache.set(key, made);
  return made;
}

/** An instant with its zone, the same in every language: `2026-11-22 16:35:12 UTC+08:00`. An unknown zone counts as UTC. */
export function formatInstant(atMs: number, timeZone = "UTC"): string {
  const parts = new Map(
    instantStyle(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const zone = of("timeZoneName").replace("GMT", "UTC").replace("+00:00", "");
  return `${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}:${of("second")} ${zone}`;
}

function instantStyle(timeZone: string): Intl.DateTimeFormat {
  return cached(`instant ${timeZone}`, () => {
    const two = "2-digit";
    const options = { month: two, day: two, hour: two, minute: two, second: two, hourCycle: "h23" } as const;
    try {
      return new Intl.DateTimeFormat("en-US", { ...options, year: "numeric", timeZoneName: "longOffset", timeZone });
    } catch {
      return instantStyle("UTC");
    }
  });
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** A length of time in its two largest units: `1 hour 5 minutes`, `1小时5分钟`. */
export function formatSpan(durationMs: number, language: Language): string {
  let restMs = Math.max(0, Math.floor(durationMs / 1000) * 1000);
  const amounts = units.map(([unit, sizeMs]) => {
    const amount = Math.floor(restMs / sizeMs);
    restMs -= amount * sizeMs;
    return { unit, amount };
  });
  const first = amounts.findIndex(({ amount }) => amount > 0);
  if (first === -1) return count(0, "second", language);
  const shown = amounts.slice(first, first + 2).filter(({ amount }) => amount > 0);
  return shown.map(({ unit, amount }) => count(amount, unit, language)).join(language === "zh-CN" ? "" : " ");
}

function count(amount: number, unit: string, language: Language): string {
  const options = { style: "unit", unit, unitDisplay: "long" } as const;
  return cached(`unit ${unit} ${language}`, () => new Intl.NumberFormat(language, options)).format(amount);
}

/** How long an answer took: `0.8 ms`, `128 ms`, `1.25 s`. */
export function formatLatency(durationMs: number, language: Language): string {
  if (durationMs >= 999.5) return `${formatNumber(durationMs / 1000, language, 2)} s`;
  return `${formatNumber(durationMs, language, durationMs < 9.95 ? 1 : 0)} ms`;
}

/** Percent, of 0 to 100: `97.3%`. */
export function formatPercent(percent: number, language: Language): string {
  return `${formatNumber(percent, language, 1)}%`;
}

export function formatNumber(value: number, language: Language, digits = 0): string {
  const options = { maximumFractionDigits: digits };
  return cached(`number ${language} ${digits}`, () => new Intl.NumberFormat(language, options)).format(value);
}
