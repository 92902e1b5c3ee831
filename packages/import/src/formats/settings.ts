import type { ConfigDocument, ConfigEntry } from "@sonde/proto/http/config/document";
import { globalAgentSettings, globalMonitorSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import type { SettingsRule } from "@sonde/proto/http/notifications/rules";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { isDeepStrictEqual } from "node:util";
import {
  type ImportedObjects,
  type Draft,
  type DraftSettings,
  type ExistingObjects,
  type PlannedObject,
  type RefusedObject,
  whyOf,
} from "./shapes.ts";

type Input = {
  existing: ExistingObjects;
  imported: ImportedObjects;
  monitors: Record<string, ConfigEntry>;
  objects: Record<string, PlannedObject>;
  refused: RefusedObject[];
};

/** Limit of the notifier. */
const maxOwnSettings = 1_000;

/** Converts the default settings, if they were not changed here, and the differing ones of single monitors. */
export function translateSettings(draft: Draft, input: Input): NonNullable<ConfigDocument["settings"]> {
  const { existing, imported, monitors, objects, refused } = input;
  const settings: Record<string, ConfigEntry> = {};
  const isFree = {
    monitors: isDeepStrictEqual(globalMonitorSettings.parse(existing.globalMonitor), globalMonitorSettings.parse({})),
    agents: isDeepStrictEqual(globalAgentSettings.parse(existing.globalAgent), globalAgentSettings.parse({})),
  };
  const own = imported.monitors.map(({ draft: { name, settings: given } }) =>
    fitting(given, monitorSettings, name, refused),
  );
  const common = draft.assignsChannelsPerMonitor && isFree.monitors ? mostCommon(input, own) : null;
  let all = {
    channels: existing.globalMonitor.channels.map(String),
    cooldownMinutes: existing.globalMonitor.cooldownMinutes,
  };
  for (const type of ["monitors", "agents"] as const) {
    const name: TranslatableText = { text: type === "monitors" ? "For all monitors" : "For all agents" };
    const given =
      type === "monitors"
        ? (fitting(draft.globalMonitor, globalMonitorSettings, name, refused) ?? common)
        : fitting(draft.globalAgent, globalAgentSettings, name, refused);
    if (given === null) continue;
    if (!isFree[type]) {
      const params = { targets: { text: type } };
      refused.push({
        type: "settings",
        name,
        why: { text: "The settings for all {targets} were already changed here, so they are kept", params },
      });
      continue;
    }
    settings[type] = entryOf(input, given);
    objects[`settings ${type}`] = { type: "settings", name, notes: channelNotes(input, given) };
    if (type === "monitors") all = { channels: identities(input, given), cooldownMinutes: cooldownOf(given) };
  }
  let left = maxOwnSettings - existing.ownSettings;
  for (const [at, { draft: monitor, key }] of imported.monitors.entries()) {
    const given = own[at] ?? null;
    if (given === null) continue;
    const { notes } = objects[`monitor ${key}`]!;
    const { entry, note } = draft.assignsChannelsPerMonitor
      ? differing(input, given, all)
      : { entry: entryOf(input, given), note: [] };
    if (entry !== null && (left -= 1) < 0) {
      const params = { max: maxOwnSettings };
      refused.push({
        type: "settings",
        name: monitor.name,
        why: { text: "At most {max} monitors can have an override", params },
      });
      continue;
    }
    notes.push(...note);
    if (entry !== null) monitors[key]!["notify"] = entry;
  }
  return settings;
}

function fitting(
  given: DraftSettings | null,
  schema: typeof monitorSettings | typeof globalMonitorSettings | typeof globalAgentSettings,
  name: string | TranslatableText,
  refused: RefusedObject[],
): DraftSettings | null {
  if (given === null) return null;
  const parsed = schema.safeParse(given.more);
  if (parsed.success) return given;
  refused.push({ type: "settings", name, why: whyOf(faultsOf(parsed.error.issues)) });
  return null;
}

const cooldownOf = ({ more }: DraftSettings) => Number(more["cooldownMinutes"]);
const importedChannels = ({ imported }: Input, { channels }: Pick<DraftSettings, "channels">) =>
  channels.flatMap((key) => imported.channels.get(key) ?? []);
/** Ids of existing channels, keys of imported ones. */
const identities = (input: Input, given: DraftSettings): string[] =>
  importedChannels(input, given).map(({ key, existingId }) => String(existingId ?? key));

function mostCommon(input: Input, own: readonly (DraftSettings | null)[]): DraftSettings | null {
  const counts = new Map<string, { settings: DraftSettings; count: number }>();
  for (const settings of own) {
    if (settings === null || importedChannels(input, settings).length === 0) continue;
    const key = `${identities(input, settings).sort().join(" ")} ${JSON.stringify(settings.more)}`;
    counts.set(key, { settings, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const [first] = [...counts.values()].sort((one, other) => other.count - one.count);
  return first?.settings ?? null;
}

type Own = { entry: ConfigEntry | null; note: TranslatableText[] };

/** No entry if the default settings apply. */
function differing(input: Input, given: DraftSettings, all: { channels: string[]; cooldownMinutes: number }): Own {
  const channels = identities(input, given);
  const isLost = given.lost > 0 || channels.length < given.channels.length;
  if (channels.length === 0 && (isLost || all.channels.length === 0)) {
    return {
      entry: null,
      note: isLost ? [{ text: "Its channels cannot be imported; the settings for all monitors apply" }] : [],
    };
  }
  if (channels.length === 0)
    return { entry: { enabled: false }, note: [{ text: "Sends no notifications, as before" }] };
  const isAsAll = channels.length === all.channels.length && channels.every((one) => all.channels.includes(one));
  const lost = lostNotes(input, given);
  if (isAsAll && cooldownOf(given) === all.cooldownMinutes) return { entry: null, note: lost };
  return { entry: entryOf(input, given), note: [...channelNotes(input, given), ...lost] };
}

function lostNotes(input: Input, { before = [], channels }: DraftSettings): TranslatableText[] {
  const lost = before.filter(({ key }) => !channels.includes(key) || !input.imported.channels.has(key));
  const names = lost.map(({ name }) => name).join(", ");
  return lost.length === 0
    ? []
    : [{ text: "No longer notifies {channels}", params: { channels: names.slice(0, 200) } }];
}

function channelNotes(input: Input, given: DraftSettings): TranslatableText[] {
  const names = importedChannels(input, given).map(({ name }) => name);
  return names.length === 0 ? [] : [{ text: "Notifies {channels}", params: { channels: names.join(", ") } }];
}

function entryOf(input: Input, given: DraftSettings): ConfigEntry {
  const template = given.templateKey === null ? undefined : input.imported.templates.get(given.templateKey);
  const policy = given.policyKey === undefined ? undefined : input.imported.policyKeyOf(given.policyKey);
  const keysOf = (holder: Pick<DraftSettings, "channels">) => importedChannels(input, holder).map(({ key }) => key);
  const { rules, ...more } = given.more;
  const ruled = ((rules ?? []) as SettingsRule[])
    .map(({ policyId, ...rule }) => ({
      ...rule,
      channels: keysOf(rule),
      policy: policyId === undefined ? undefined : input.imported.policyKeyOf(policyId),
    }))
    .filter(({ channels }) => channels.length > 0);
  return {
    ...more,
    channels: keysOf(given),
    ...(ruled.length > 0 && { rules: ruled }),
    ...(template !== undefined && { template }),
    ...(policy !== undefined && { policy }),
  };
}
