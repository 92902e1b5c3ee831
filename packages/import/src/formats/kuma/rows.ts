import type { KumaRow } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";

/** A column as text; empty if there is none. */
export function text(row: KumaRow, column: string): string {
  const value = row[column];
  return value === null || value === undefined ? "" : String(value);
}

/** A column as a number; null where it is none. */
export function number(row: KumaRow, column: string): number | null {
  const value = row[column];
  if (value === null || value === undefined || value === "") return null;
  const read = Number(value);
  return Number.isFinite(read) ? read : null;
}

/** A column as an id; 0 if there is none. */
export const idOf = (row: KumaRow, column: string): number => number(row, column) ?? 0;

/** A switch: SQLite keeps 0 and 1. */
export function flag(row: KumaRow, column: string, absent = false): boolean {
  const value = row[column];
  if (value === null || value === undefined || value === "") return absent;
  return value !== 0 && value !== "0" && value !== "false";
}

/** A JSON text; undefined where it is none. */
export function json(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

/** The fields of a JSON object; null where the text is none. */
export function jsonObject(given: string): Record<string, unknown> | null {
  const value = json(given);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** The fields of a check with notes, or why it cannot be imported. */
export type ReadCheck = { check: Record<string, unknown>; notes?: TranslatableText[] } | { refused: TranslatableText };
/** The parts of the database that all monitors share. */
export type KumaContext = {
  /** Days before expiry at which Uptime Kuma warned of a certificate. */
  expiryDays: readonly number[];
  proxies: ReadonlyMap<number, KumaRow>;
};

/** A condition on what was answered, or why it cannot be. */
export type ReadAssertion = { assertion: Record<string, unknown> } | { refused: TranslatableText };
