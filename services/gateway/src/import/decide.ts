import { isMessage } from "@sonde/proto/http/messages";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import type { ImportContext, ImportVerdict } from "./known.ts";
import { decideSettings } from "./settings.ts";
import type {
  DecidedImport,
  ImportChoice,
  PlannedObject,
  PreparedChannel,
  PreparedImport,
  PreparedMonitor,
  RefusedObject,
} from "./shapes.ts";

const used: TranslatableText = { text: "There already, and used" };

/**
 * Decides which parts of a file are imported. A monitor whose name and target exist is skipped; an existing channel or
 * template of the same name and type is used; default settings that a user changed stay.
 */
export function decide(prepared: PreparedImport, known: ImportContext): DecidedImport {
  const cannot: RefusedObject[] = [...prepared.refused];
  const existing = new Map<number, number>();
  const coming: { line: number; monitor: PreparedMonitor }[] = [];
  for (const [at, monitor] of prepared.monitors.entries()) {
    const verdict = known.verdicts[at];
    const refuse = (why: TranslatableText) => void cannot.push({ type: "monitor", name: monitor.name, why });
    if (verdict === undefined || verdict.fault !== undefined) {
      const { message = "", params } = verdict?.fault ?? {};
      refuse(isMessage(message) ? { text: message, params } : { text: "This value is not valid" });
    } else if (verdict.existingId === undefined) {
      coming.push({ line: at + 1, monitor });
    } else {
      existing.set(at + 1, verdict.existingId);
      refuse({ text: "A monitor of this name and target is there already" });
    }
  }
  const channels = decideChannels(prepared, known, cannot);
  const templates = decideTemplates(prepared, known, cannot);
  const settings = decideSettings({ prepared, known, coming, channels, templates, cannot });
  return {
    will: [
      ...coming.map(({ monitor, line }) =>
        comingMonitor(monitor, [...placesOf(known.verdicts[line - 1]), ...(settings.notes.get(line) ?? [])]),
      ),
      ...prepared.groups.map(({ name, count }) => ({
        type: "group" as const,
        name,
        notes: [{ text: "A tag of {count} monitors" as const, params: { count } }],
      })),
      ...channels.will,
      ...templates.will,
      ...settings.will,
    ],
    cannot,
    lines: coming.map(({ line }) => line),
    existing,
    channels: channels.created,
    templates: templates.created,
    settings: settings.settings,
  };
}

function placesOf(verdict: ImportVerdict | undefined): TranslatableText[] {
  const locations = (verdict?.lostLocations ?? []).join(", ").slice(0, 200);
  return locations === ""
    ? []
    : [{ text: "Checked at the location that is here: {locations} is not", params: { locations } }];
}

const comingMonitor = (
  { name, target, paused, tags, notes }: PreparedMonitor,
  told: TranslatableText[],
): PlannedObject => ({
  type: "monitor",
  name,
  detail: target,
  paused: paused || undefined,
  tags,
  notes: [...notes, ...told],
});

function decideChannels(
  prepared: PreparedImport,
  known: ImportContext,
  cannot: RefusedObject[],
): ImportChoice<PreparedChannel> {
  const chosen: ImportChoice<PreparedChannel> = { created: [], ids: new Map(), names: new Map(), will: [] };
  for (const channel of prepared.channels) {
    const { key, name, type, config, notes } = channel;
    const there = known.channels.find((one) => one.name === name && one.type === type);
    const fault = there === undefined ? faultOf(channel, known) : undefined;
    if (fault !== undefined) {
      cannot.push({ type: "channel", name, why: fault });
      continue;
    }
    chosen.names.set(key, name);
    if (there === undefined && config !== null) chosen.created.push(channel);
    chosen.ids.set(key, there?.id ?? -chosen.created.length);
    chosen.will.push({ type: "channel", name, detail: type, notes: there === undefined ? notes : [used] });
  }
  return chosen;
}

function faultOf({ key, config }: PreparedChannel, known: ImportContext): TranslatableText | undefined {
  if (config !== null) return known.channelFaults.get(key);
  return { text: "Its secrets are not part of an export: add this channel by hand first, under the same name" };
}

function decideTemplates(
  prepared: PreparedImport,
  known: ImportContext,
  cannot: RefusedObject[],
): ImportChoice<PreparedImport["templates"][number]> {
  const chosen: ImportChoice<PreparedImport["templates"][number]> = {
    created: [],
    ids: new Map(),
    names: new Map(),
    will: [],
  };
  prepared.templates.forEach((template, at) => {
    const { key, name, kind } = template;
    const there = known.templates.find((one) => one.name === name && one.kind === kind);
    const fault = there === undefined ? known.templateFaults.get(at) : undefined;
    if (fault !== undefined) return void cannot.push({ type: "template", name, why: fault });
    if (there === undefined) chosen.created.push(template);
    chosen.ids.set(key, there?.id ?? -chosen.created.length);
    return void chosen.will.push({ type: "template", name, notes: there === undefined ? [] : [used] });
  });
  return chosen;
}
