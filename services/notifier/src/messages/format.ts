import { cut } from "../channels/text.ts";
import type { Language } from "@sonde/proto/http/messages";
import { plainLine } from "@sonde/proto/http/text";

/** `2026-11-22 16:35:12 UTC+08:00`, the same in every language. An unknown time zone counts as UTC. */
export function formatInstant(atMs: number, timeZone = "UTC"): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs));
  let zoned = instant.toZonedDateTimeISO("UTC");
  try {
    zoned = instant.toZonedDateTimeISO(timeZone);
  } catch {}
  const offset = zoned.offset === "+00:00" ? "" : zoned.offset;
  return `${zoned.toPlainDate().toString()} ${zoned.toPlainTime().toString({ smallestUnit: "second" })} UTC${offset}`;
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Formats a duration in its two largest units: `1 hour 5 minutes`, `1小时5分钟`. */
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

const count = (amount: number, unit: string, language: Language) =>
  amount.toLocaleString(language, { style: "unit", unit, unitDisplay: "long" });

/** Formats a response time: `0.8 ms`, `128 ms`, `1.25 s`. */
export function formatLatency(durationMs: number, language: Language): string {
  if (durationMs >= 999.5) return `${formatNumber(durationMs / 1000, language, 2)} s`;
  return `${formatNumber(durationMs, language, durationMs < 9.95 ? 1 : 0)} ms`;
}

export const formatPercent = (percent: number, language: Language): string => `${formatNumber(percent, language, 1)}%`;

export const formatNumber = (value: number, language: Language, digits = 0): string =>
  value.toLocaleString(language, { maximumFractionDigits: digits });

/** Reduces a text to one line, so a server's response cannot reorder or break a message. */
export const lineOf = (text: string, max = 300): string =>
  cut(plainLine(text.slice(0, 4 * max).replaceAll(/\s+/g, " ")).trim(), max);

export function visibleLines(text: string, max: number): string[] {
  const lines = text
    .slice(0, 4 * max)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => plainLine(line.replaceAll("\t", " ")).trimEnd());
  return cut(
    lines
      .join("\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim(),
    max,
  ).split("\n");
}
