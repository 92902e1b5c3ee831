import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { isDeepStrictEqual } from "node:util";
import type { ImportContext } from "./known.ts";
import type {
  ImportChoice,
  ImportedSetting,
  PlannedObject,
  PreparedImport,
  PreparedMonitor,
  PreparedSettings,
  RefusedObject,
} from "./shapes.ts";

type Input = {
  prepared: PreparedImport;
  known: ImportContext;
  coming: { line: number; monitor: PreparedMonitor }[];
  channels: Pick<ImportChoice<unknown>, "ids" | "names">;
  templates: Pick<ImportChoice<unknown>, "ids">;
  cannot: RefusedObject[];
};
type Settled = { settings: ImportedSetting[]; will: PlannedObject[]; notes: Map<number, TranslatableText[]> };

/** The notifier's limit. */
const mostOwn = 1_000;

/** Settings that a file leads to: for all, and of single monitors where those differ. */
export function decideSettings(input: Input): Settled {
  const decided: Settled = { settings: [], will: [], notes: new Map() };
  const all = decideForAll(input, decided);
  const { monitors, agents } = input.known.settings;
  const room = mostOwn - Object.keys(monitors).length - Object.keys(agents).length;
  let own = 0;
  for (const { line, monitor } of input.coming) {
    const value =
      monitor.settings && ownSettings(input, monitor.settings, all, (note) => decided.notes.set(line, [note]));
    if (!value) continue;
    if ((own += 1) <= room) decided.settings.push({ scope: "monitor", line, value });
    else {
      const why: TranslatableText = {
        text: "There are {max} settings of single monitors at most",
        params: { max: mostOwn },
      };
      input.cannot.push({ type: "settings", name: monitor.name, why });
      decided.notes.delete(line);
    }
  }
  return decided;
}

/** What holds for all monitors: ids of channels, and the rest as far as a file of Uptime Kuma sets it, as JSON. */
type ForAll = { channels: readonly number[]; more: string };

/** Writes the settings for all where they still have their defaults; answers those for all monitors after the import. */
function decideForAll(input: Input, { settings, will }: Settled): ForAll {
  const { prepared, known, cannot } = input;
  const { globalMonitor, globalAgent } = known.settings;
  const isFree = {
    monitor: isDeepStrictEqual(monitorSettings.parse(globalMonitor), monitorSettings.parse({})),
    agent: isDeepStrictEqual(agentSettings.parse(globalAgent), agentSettings.parse({})),
  };
  const common = prepared.tellsByMonitor && isFree.monitor ? mostCommon(input) : null;
  const { cooldownMinutes } = monitorSettings.parse(globalMonitor);
  let all: ForAll = { channels: globalMonitor.channels, more: JSON.stringify({ cooldownMinutes }) };
  for (const type of ["monitor", "agent"] as const) {
    const given = type === "monitor" ? (prepared.globalMonitor ?? common) : prepared.globalAgent;
    if (given === null) continue;
    const name: TranslatableText = { text: type === "monitor" ? "For all monitors" : "For all agents" };
    if (isFree[type]) {
      const value = valueOf(input, given);
      if (type === "monitor") all = { channels: channelsOf(input, given), more: given.more };
      settings.push({ scope: `global-${type}`, line: 0, value });
      will.push({ type: "settings", name, notes: channelNotes(input, given) });
    } else {
      const targets: TranslatableText = { text: type === "monitor" ? "monitors" : "agents" };
      const why: TranslatableText = {
        text: "Settings for all {targets} were changed here already and stay",
        params: { targets },
      };
      cannot.push({ type: "settings", name, why });
    }
  }
  return all;
}

/** The settings that most of the imported monitors with channels have. */
function mostCommon(input: Input): PreparedSettings | null {
  const counts = new Map<string, { settings: PreparedSettings; count: number }>();
  for (const { monitor } of input.coming) {
    if (monitor.settings === null || channelsOf(input, monitor.settings).length === 0) continue;
    const ids = [...channelsOf(input, monitor.settings)].sort((one, other) => one - other);
    const key = `${ids.join(" ")} ${monitor.settings.more}`;
    const known = counts.get(key) ?? { settings: monitor.settings, count: 0 };
    counts.set(key, { ...known, count: known.count + 1 });
  }
  const [first] = [...counts.values()].sort((one, other) => other.count - one.count);
  return first?.settings ?? null;
}

/** The settings of a monitor's own; null where those for all hold. */
function ownSettings(
  input: Input,
  settings: PreparedSettings,
  all: ForAll,
  note: (told: TranslatableText) => void,
): ImportedSetting["value"] | null {
  if (!input.prepared.tellsByMonitor) return valueOf(input, settings);
  const channels = channelsOf(input, settings);
  const isLost = settings.lost > 0 || channels.length < settings.channels.length;
  if (channels.length === 0 && (isLost || all.channels.length === 0)) {
    if (isLost) note({ text: "Its channels cannot come; the settings for all monitors hold" });
    return null;
  }
  if (channels.length === 0) {
    note({ text: "It tells nobody, as before" });
    return { enabled: false };
  }
  const isAsAll = channels.length === all.channels.length && channels.every((id) => all.channels.includes(id));
  if (isAsAll && settings.more === all.more) return null;
  for (const told of channelNotes(input, settings)) note(told);
  return valueOf(input, settings);
}

const channelsOf = ({ channels }: Input, settings: PreparedSettings): number[] =>
  settings.channels.flatMap((key) => channels.ids.get(key) ?? []);

function channelNotes(input: Input, settings: PreparedSettings): TranslatableText[] {
  const names = settings.channels.flatMap((key) => input.channels.names.get(key) ?? []);
  return names.length === 0 ? [] : [{ text: "It tells {channels}", params: { channels: names.join(", ") } }];
}

/** In the notifier's form: negative numbers mean entries that are created here. */
function valueOf(input: Input, settings: PreparedSettings): ImportedSetting["value"] {
  const more = JSON.parse(settings.more) as Record<string, unknown>;
  const templateId = settings.templateKey === null ? undefined : input.templates.ids.get(settings.templateKey);
  return { ...more, channels: channelsOf(input, settings), templateId };
}
