import type { KumaRow, KumaRows } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { plainLine } from "@sonde/proto/http/text";
import { flag, idOf, number, text } from "./rows.ts";

const maxName = 100;
const maxNote = 4000;
const maxRetries = 10;
const retryApartSeconds = 2;
const maxTimeoutSeconds = 300;
const weekSeconds = 7 * 24 * 3600;

/** Differences from the original are added to `notes`. */
export function readSchedule(row: KumaRow, minSeconds: number, notes: TranslatableText[]): Record<string, unknown> {
  const intervalSeconds = readInterval(row, minSeconds, notes);
  return {
    interval: intervalSeconds / 60,
    timeout: readTimeout(row, intervalSeconds, notes),
    retries: readRetries(row, notes),
  };
}

function readInterval(row: KumaRow, minSeconds: number, notes: TranslatableText[]): number {
  const from = number(row, "interval") ?? 60;
  if (from < minSeconds) {
    const params = { from, to: minSeconds };
    notes.push({ text: "Interval raised from {from} s to {to} s, the minimum here", params });
    return minSeconds;
  }
  if (from <= weekSeconds) return from;
  notes.push({ text: "Interval lowered to 7 days" });
  return weekSeconds;
}

/** `undefined` means Sonde's default. Versions before 1.23 had no timeout, and 0 means none. */
function readTimeout(row: KumaRow, intervalSeconds: number, notes: TranslatableText[]): number | undefined {
  const from = number(row, "timeout") ?? 0;
  if (from < 0.1) return undefined;
  const max = Math.min(maxTimeoutSeconds, Math.floor(intervalSeconds * 0.8 * 10) / 10);
  if (from <= max || (from < intervalSeconds && from <= maxTimeoutSeconds)) return from;
  notes.push({ text: "Timeout lowered to {to} s", params: { to: max } });
  return max;
}

function readRetries(row: KumaRow, notes: TranslatableText[]): number {
  const from = Math.max(0, Math.round(number(row, "maxretries") ?? 0));
  if (from > maxRetries) notes.push({ text: "At most {max} retries", params: { max: maxRetries } });
  // 0 means the check interval.
  const apart = number(row, "retry_interval") || (number(row, "interval") ?? 60);
  if (from > 0 && apart !== retryApartSeconds) {
    notes.push({ text: "Retries are 2 s apart, not {from} s", params: { from: apart } });
  }
  if (from > 0 && flag(row, "retry_only_on_status_code_failure")) {
    notes.push({ text: "Also retries if only the JSON query fails" });
  }
  return Math.min(maxRetries, from);
}

export function noteLostOptions(row: KumaRow, notes: TranslatableText[]): void {
  const family = text(row, "ip_family");
  if (family !== "" && !["http", "keyword", "json-query"].includes(text(row, "type"))) {
    const params = { family: family.endsWith("6") ? "IPv6" : "IPv4" };
    notes.push({ text: "Uses both IPv4 and IPv6, not only {family}", params });
  }
  if (flag(row, "domain_expiry_notification")) notes.push({ text: "Does not check the domain's expiry" });
}

export function readNameAndNote(row: KumaRow, notes: TranslatableText[]): { name: string; note: string } {
  const given = plainLine(text(row, "name")).trim();
  const name = truncate(given, maxName);
  if (name !== given) notes.push({ text: "Name shortened" });
  const description = text(row, "description");
  const note = truncate(description, maxNote);
  if (note !== description) notes.push({ text: "Description shortened" });
  return { name, note };
}

/** Name of an unnamed monitor: its address, as in Uptime Kuma, or its type. */
export function nameByAddress(row: KumaRow, check: Record<string, unknown>): string {
  const host = typeof check["host"] === "string" ? check["host"] : text(row, "hostname");
  const port = check["port"] === undefined ? "" : `:${check["port"] as number}`;
  const address = typeof check["url"] === "string" ? check["url"] : host === "" ? text(row, "type") : host + port;
  return truncate(plainLine(address).trim(), maxName);
}

const maxTag = 40;
const maxTags = 20;
/** A malformed file may contain a cycle. */
const maxLevels = 20;

/** Innermost first. */
export function groupsOf(row: KumaRow, byId: ReadonlyMap<number, KumaRow>): KumaRow[] {
  const groups: KumaRow[] = [];
  let parent = byId.get(idOf(row, "parent"));
  while (parent !== undefined && groups.length < maxLevels && !groups.includes(parent)) {
    groups.push(parent);
    parent = byId.get(idOf(parent, "parent"));
  }
  return groups;
}

export const isPaused = (row: KumaRow, groups: readonly KumaRow[]): boolean =>
  [row, ...groups].some((one) => !flag(one, "active", true));

/** By monitor id: `name: value`, or only the name. */
export function readKumaTags({ tag, monitor_tag: uses }: Pick<KumaRows, "tag" | "monitor_tag">): Map<number, string[]> {
  const names = new Map(tag.map((row) => [idOf(row, "id"), beginning(text(row, "name"))]));
  const tags = new Map<number, string[]>();
  for (const use of uses) {
    const name = names.get(idOf(use, "tag_id"));
    if (name === undefined) continue;
    const monitor = idOf(use, "monitor_id");
    const known = tags.get(monitor) ?? [];
    // Keep one more than the limit, so that the loss is noticed.
    if (known.length > maxTags) continue;
    const value = beginning(text(use, "value")).trim();
    known.push(value === "" ? name : `${name}: ${value}`);
    tags.set(monitor, known);
  }
  return tags;
}

export function fitTags(all: readonly string[]): { tags: string[]; lost: boolean } {
  const given = all.slice(0, maxLevels + maxTags + 1).map(beginning);
  const fitted = given.map((tag) => truncate(plainLine(tag).trim(), maxTag)).filter((tag) => tag !== "");
  const tags = [...new Set(fitted)].slice(0, maxTags);
  return { tags, lost: given.some((tag) => !tags.includes(tag.trim())) };
}

/** Cuts a tag before further processing: a name shared by thousands of monitors may be megabytes long. */
const beginning = (given: string): string => given.slice(0, 10 * maxTag);

/** Cuts at a character boundary. */
export const truncate = (given: string, max: number): string =>
  given.length <= max
    ? given
    : Array.from(given.slice(0, 2 * max))
        .slice(0, max)
        .join("")
        .trim();
