import type { KumaRow } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { plainLine } from "@sonde/proto/http/text";
import { flag, number, text } from "./rows.ts";
import { cut } from "./tags.ts";

const maxName = 100;
const maxNote = 4000;
const maxRetries = 10;
const retryApartSeconds = 2;
const maxTimeoutSeconds = 300;
const weekSeconds = 7 * 24 * 3600;

/** The settings that all kinds of monitors share, with differences from the original added to `notes`. */
export function readSchedule(row: KumaRow, leastSeconds: number, notes: TranslatableText[]): Record<string, unknown> {
  const intervalSeconds = readInterval(row, leastSeconds, notes);
  return {
    interval: intervalSeconds / 60,
    timeout: readTimeout(row, intervalSeconds, notes),
    retries: readRetries(row, notes),
  };
}

function readInterval(row: KumaRow, leastSeconds: number, notes: TranslatableText[]): number {
  const from = number(row, "interval") ?? 60;
  if (from < leastSeconds) {
    const params = { from, to: leastSeconds };
    notes.push({ text: "Its interval is raised from {from} s to {to} s, the least here", params });
    return leastSeconds;
  }
  if (from <= weekSeconds) return from;
  notes.push({ text: "Its interval is lowered to 7 days" });
  return weekSeconds;
}

/** Undefined: Sonde's own default. Versions before 1.23 had no timeout, and 0 is none. */
function readTimeout(row: KumaRow, intervalSeconds: number, notes: TranslatableText[]): number | undefined {
  const from = number(row, "timeout") ?? 0;
  if (from < 0.1) return undefined;
  const most = Math.min(maxTimeoutSeconds, Math.floor(intervalSeconds * 0.8 * 10) / 10);
  if (from <= most || (from < intervalSeconds && from <= maxTimeoutSeconds)) return from;
  notes.push({ text: "Its timeout is lowered to {to} s", params: { to: most } });
  return most;
}

function readRetries(row: KumaRow, notes: TranslatableText[]): number {
  const from = Math.max(0, Math.round(number(row, "maxretries") ?? 0));
  if (from > maxRetries) notes.push({ text: "At most {max} retries", params: { max: maxRetries } });
  // 0: as often as the monitor is checked.
  const apart = number(row, "retry_interval") || (number(row, "interval") ?? 60);
  if (from > 0 && apart !== retryApartSeconds) {
    notes.push({ text: "Retries follow two seconds apart, not {from} s", params: { from: apart } });
  }
  if (from > 0 && flag(row, "retry_only_on_status_code_failure")) {
    notes.push({ text: "Retries also where only the JSON query fails" });
  }
  return Math.min(maxRetries, from);
}

/** Adds what Sonde lacks of the options that monitors of several kinds have. */
export function noteLostOptions(row: KumaRow, notes: TranslatableText[]): void {
  const family = text(row, "ip_family");
  if (family !== "") {
    const params = { family: family.endsWith("6") ? "IPv6" : "IPv4" };
    notes.push({ text: "IPv4 and IPv6 are both used, not {family} alone", params });
  }
  if (flag(row, "domain_expiry_notification")) notes.push({ text: "Without the expiry of its domain" });
}

/** Its name, and its description as a note. */
export function readWords(row: KumaRow, notes: TranslatableText[]): { name: string; note: string } {
  const given = plainLine(text(row, "name")).trim();
  const name = cut(given, maxName);
  if (name !== given) notes.push({ text: "Its name is cut" });
  const description = text(row, "description");
  const note = cut(description, maxNote);
  if (note !== description) notes.push({ text: "Its description is cut" });
  return { name, note };
}
