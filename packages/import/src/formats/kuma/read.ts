import type { KumaRow, KumaRows } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { type Draft, type DraftMonitor, type DraftSettings, type RefusedObject, whyUnstorable } from "../shapes.ts";
import { readChannel } from "./channels.ts";
import { readKumaCheck } from "./checks.ts";
import {
  truncate,
  fitTags,
  groupsOf,
  isPaused,
  nameByAddress,
  noteLostOptions,
  readSchedule,
  readKumaTags,
  readNameAndNote,
} from "./monitor.ts";
import { childrenOf, isGroup, readGroup } from "./group.ts";
import { idOf, json, type KumaContext, number, text } from "./rows.ts";

/** Uptime Kuma's default. */
const standardExpiryDays = [7, 14, 21];

/**
 * Reads the tables of an Uptime Kuma database (db/knex_init_db.js and db/knex_migrations of Uptime Kuma 2,
 * db/patch*.sql of 1.23). Groups become groups. Notifications of a monitor or group become its own settings: a
 * group notifies once for all of its members.
 */
export function readKuma(tables: KumaRows, minSeconds: number): Draft {
  const read = tables.notification.map(readChannel);
  const channels = read.filter((one) => "key" in one);
  const imported = new Set(channels.map(({ key }) => key));
  const names = new Map(tables.notification.map((row, at) => [idOf(row, "id"), read[at]!.name as string]));
  const links = readLinks(tables.monitor_notification, names);
  const byId = new Map(tables.monitor.map((row) => [idOf(row, "id"), row]));
  const tags = readKumaTags(tables);
  const around: KumaContext = {
    expiryDays: readExpiryDays(tables.setting),
    proxies: new Map(tables.proxy.map((row) => [idOf(row, "id"), row])),
  };
  const children = childrenOf(tables.monitor);

  const monitors: DraftMonitor[] = [];
  const refused: RefusedObject[] = read.flatMap((one) => ("key" in one ? [] : [one]));
  refused.push(...byHand("maintenance", tables.maintenance), ...byHand("statusPage", tables.status_page));
  for (const row of tables.monitor) {
    const notes: TranslatableText[] = [];
    const { name: given, note } = readNameAndNote(row, notes);
    const check = isGroup(row) ? readGroup(row, children) : readKumaCheck(row, around);
    const name = given || nameByAddress(row, "refused" in check ? {} : check.check);
    const unstorable = whyUnstorable(row);
    if (unstorable !== null || "refused" in check) {
      refused.push({ type: "monitor", name, why: unstorable ?? (check as { refused: TranslatableText }).refused });
      continue;
    }
    const id = idOf(row, "id");
    const fitted = fitTags(tags.get(id) ?? []);
    if (fitted.lost) notes.push({ text: "Some tags are shortened or omitted" });
    const isProbed = check.check["type"] !== "heartbeat" && !isGroup(row);
    const schedule = isProbed ? readSchedule(row, minSeconds, notes) : {};
    if (isProbed) noteLostOptions(row, notes);
    const paused = isPaused(row, groupsOf(row, byId));
    const input = { ...check.check, name, note, ...schedule, tags: fitted.tags, paused };
    notes.push(...(check.notes ?? []));
    const settings = readSettings(row, [...(links.get(id) ?? [])], imported, names);
    monitors.push({ key: id, name, input, notes, settings });
  }
  const noSettings = { globalMonitor: null, globalAgent: null, templates: [] };
  return { monitors, channels, assignsChannelsPerMonitor: true, ...noSettings, refused };
}

const byHand = (type: RefusedObject["type"], rows: readonly KumaRow[]): RefusedObject[] =>
  rows.slice(0, 1_000).map((row) => ({
    type,
    name: truncate(text(row, "title"), 100),
    why: { text: "Not imported: set it up manually" },
  }));

function readLinks(rows: readonly KumaRow[], known: ReadonlyMap<number, string>): Map<number, Set<number>> {
  const links = new Map<number, Set<number>>();
  for (const row of rows) {
    const [monitor, channel] = [idOf(row, "monitor_id"), idOf(row, "notification_id")];
    if (!known.has(channel)) continue;
    links.set(monitor, (links.get(monitor) ?? new Set()).add(channel));
  }
  return links;
}

/** Repeats every n failed checks become a number of minutes. @param linked keys of its channels */
function readSettings(
  row: KumaRow,
  linked: readonly number[],
  imported: ReadonlySet<number>,
  names: ReadonlyMap<number, string>,
): DraftSettings {
  const channels = linked.filter((key) => imported.has(key));
  const everyMinutes = ((number(row, "resend_interval") ?? 0) * (number(row, "interval") ?? 60)) / 60;
  const cooldownMinutes = everyMinutes > 0 ? Math.min(10_080, Math.max(1, Math.round(everyMinutes))) : 0;
  const before = linked.map((key) => ({ key, name: names.get(key) ?? "" }));
  return { channels, lost: linked.length - channels.length, before, templateKey: null, more: { cooldownMinutes } };
}

/** The setting `tlsExpiryNotifyDays` is a JSON list. */
function readExpiryDays(rows: readonly KumaRow[]): number[] {
  const row = rows.find((one) => text(one, "key") === "tlsExpiryNotifyDays");
  const days = row === undefined ? null : json(text(row, "value"));
  const read = Array.isArray(days) ? days.filter((day) => Number.isInteger(day) && day > 0 && day <= 1000) : [];
  return read.length > 0 ? (read as number[]) : standardExpiryDays;
}
