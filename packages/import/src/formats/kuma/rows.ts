import type { KumaRow } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";

export function text(row: KumaRow, column: string): string {
  const value = row[column];
  return value === null || value === undefined ? "" : String(value);
}

export function number(row: KumaRow, column: string): number | null {
  const value = row[column];
  if (value === null || value === undefined || value === "") return null;
  const read = Number(value);
  return Number.isFinite(read) ? read : null;
}

export const idOf = (row: KumaRow, column: string): number => number(row, column) ?? 0;

/** SQLite stores booleans as 0 and 1. */
export function flag(row: KumaRow, column: string, absent = false): boolean {
  const value = row[column];
  if (value === null || value === undefined || value === "") return absent;
  return value !== 0 && value !== "0" && value !== "false";
}

export function json(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

export function jsonObject(given: string): Record<string, unknown> | null {
  const value = json(given);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

export type ReadCheck = { check: Record<string, unknown>; notes?: TranslatableText[] } | { refused: TranslatableText };
export type KumaContext = {
  /** Days before expiry at which Uptime Kuma warns. */
  expiryDays: readonly number[];
  proxies: ReadonlyMap<number, KumaRow>;
};

export type ReadAssertion = { assertion: Record<string, unknown> } | { refused: TranslatableText };
