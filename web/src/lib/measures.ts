import { decimals, none } from "./format.ts";

const sizes = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** Formats bytes in the largest binary unit, to three digits: `512 B`, `1.46 GiB`. `null` is a dash. */
export function formatBytes(bytes: number | null | undefined, language: string): string {
  if (bytes === null || bytes === undefined) return none;
  let [size, unit] = [Math.max(0, bytes), 0];
  // 1023.6 KiB would round to 1024 KiB instead of 1 MiB.
  while (size >= 999.5 && unit < sizes.length - 1) [size, unit] = [size / 1024, unit + 1];
  const digits = unit === 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return `${decimals(size, language, digits)}\u00a0${sizes[unit]}`;
}

export function formatRate(bytesPerSecond: number | null | undefined, language: string): string {
  const text = formatBytes(bytesPerSecond, language);
  return text === none ? none : `${text}/s`;
}

export function formatUsage(percent: number | null | undefined, language: string): string {
  if (percent === null || percent === undefined) return none;
  return `${decimals(percent, language, 1)}%`;
}

export function formatFigure(value: number | null | undefined, language: string): string {
  return value === null || value === undefined ? none : decimals(value, language, 2);
}

export function formatCelsius(degrees: number, language: string): string {
  return `${decimals(degrees, language, 2)}\u00a0°C`;
}
