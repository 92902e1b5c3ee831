import type { ConfigDocument, ConfigEntry } from "@sonde/proto/http/config/document";
import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { isDeepStrictEqual } from "node:util";
import {
  type Coming,
  type Draft,
  type DraftSettings,
  type ExistingObjects,
  type PlannedObject,
  type RefusedObject,
  whyOf,
} from "./shapes.ts";

type Input = {
  known: ExistingObjects;
  coming: Coming;
  /** The entries of monitors, which get settings of their own, and what people read of them. */
  monitors: Record<string, ConfigEntry>;
  objects: Record<string, PlannedObject>;
  refused: RefusedObject[];
};

/** The notifier's limit. */
const maxOwnSettings = 1_000;

/**
 * The settings that a file leads to: for all, where those here still have their defaults, and of single monitors where
 * they differ from that.
 */
export function translateSettings(draft: Draft, input: Input): NonNullable<ConfigDocument["settings"]> {
  const { known, coming, monitors, objects, refused } = input;
  const settings: Record<string, ConfigEntry> = {};
  const isFree = {
    monitors: isDeepStrictEqual(monitorSettings.parse(known.globalMonitor), monitorSettings.parse({})),
    agents: isDeepStrictEqual(agentSettings.parse(known.globalAgent), agentSettings.parse({})),
  };
  const own = coming.monitors.map(({ draft: { name, settings: given } }) =>
    fitting(given, monitorSettings, name, refused),
  );
  const common = draft.tellsByMonitor && isFree.monitors ? mostCommon(input, own) : null;
  /** What holds for all monitors afterwards. */
  let all = {
    channels: known.globalMonitor.channels.map(String),
    cooldownMinutes: known.globalMonitor.cooldownMinutes,
  };
  for (const type of ["monitors", "agents"] as const) {
    const name: TranslatableText = { text: type === "monitors" ? "For all monitors" : "For all agents" };
    const given =
      type === "monitors"
        ? (fitting(draft.globalMonitor, monitorSettings, name, refused) ?? common)
        : fitting(draft.globalAgent, agentSettings, name, refused);
    if (given === null) continue;
    if (!isFree[type]) {
      const params = { targets: { text: type } };
      refused.push({
        type: "settings",
        name,
        why: { text: "The settings for all {targets} were already changed here and are kept", params },
      });
      continue;
    }
    settings[type] = entryOf(input, given);
    objects[`settings ${type}`] = { type: "settings", name, notes: channelNotes(input, given) };
    if (type === "monitors") all = { channels: identities(input, given), cooldownMinutes: cooldownOf(given) };
  }
  let left = maxOwnSettings - known.ownSettings;
  for (const [at, { draft: monitor, key }] of coming.monitors.entries()) {
    const given = own[at] ?? null;
    if (given === null) continue;
    const { notes } = objects[`monitor ${key}`]!;
    const { entry, note } = draft.tellsByMonitor
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

/** Settings that the notifier accepts; null if there are none. */
function fitting(
  given: DraftSettings | null,
  schema: typeof monitorSettings | typeof agentSettings,
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
const comingOf = ({ coming }: Input, { channels }: DraftSettings) =>
  channels.flatMap((key) => coming.channels.get(key) ?? []);
/** Of channels: what is here by its id, what comes by its key. */
const identities = (input: Input, given: DraftSettings): string[] =>
  comingOf(input, given).map(({ key, thereId }) => String(thereId ?? key));

/** The settings that most of the monitors with channels have. */
function mostCommon(input: Input, own: readonly (DraftSettings | null)[]): DraftSettings | null {
  const counts = new Map<string, { settings: DraftSettings; count: number }>();
  for (const settings of own) {
    if (settings === null || comingOf(input, settings).length === 0) continue;
    const key = `${identities(input, settings).sort().join(" ")} ${JSON.stringify(settings.more)}`;
    counts.set(key, { settings, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const [first] = [...counts.values()].sort((one, other) => other.count - one.count);
  return first?.settings ?? null;
}

type Own = { entry: ConfigEntry | null; note: TranslatableText[] };

/** The settings of a monitor's own in a file that names its channels; no entry where those for all hold. */
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

/** Names the channels that notified of a monitor before and will not any more. */
function lostNotes(input: Input, { before = [], channels }: DraftSettings): TranslatableText[] {
  const lost = before.filter(({ key }) => !channels.includes(key) || !input.coming.channels.has(key));
  const names = lost.map(({ name }) => name).join(", ");
  return lost.length === 0
    ? []
    : [{ text: "No longer notifies {channels}", params: { channels: names.slice(0, 200) } }];
}

function channelNotes(input: Input, given: DraftSettings): TranslatableText[] {
  const names = comingOf(input, given).map(({ name }) => name);
  return names.length === 0 ? [] : [{ text: "Notifies {channels}", params: { channels: names.join(", ") } }];
}

function entryOf(input: Input, given: DraftSettings): ConfigEntry {
  const template = given.templateKey === null ? undefined : input.coming.templates.get(given.templateKey);
  return {
    ...given.more,
    channels: comingOf(input, given).map(({ key }) => key),
    ...(template !== undefined && { template }),
  };
}
