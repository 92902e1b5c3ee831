import type { ConfigEntry } from "@sonde/proto/http/config/document";
import { targetOf } from "@sonde/proto/http/monitors/kinds";
import { type MonitorInput, monitorInput, splitInput } from "@sonde/proto/http/monitors/monitors";
import { channelConfig } from "@sonde/proto/http/notifications/channels";
import { templateInput } from "@sonde/proto/http/notifications/templates";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { plainLine } from "@sonde/proto/http/text";
import { randomUUID } from "node:crypto";
import { translateSettings } from "./settings.ts";
import {
  type Coming,
  type Draft,
  type DraftChannel,
  type ExistingObjects,
  type PlannedObject,
  type RefusedObject,
  type TranslatedImport,
  whyOf,
  whyUnstorable,
} from "./shapes.ts";

/** Makes a document of a file, by the rules of the public API; what is against them is named with the reason. */
export function toDocument(draft: Draft, known: ExistingObjects): TranslatedImport {
  const refused: RefusedObject[] = [...draft.refused];
  const objects: Record<string, PlannedObject> = {};
  const coming: Coming = { monitors: [], channels: new Map(), templates: new Map() };

  const channels: Record<string, ConfigEntry> = {};
  for (const [at, channel] of draft.channels.entries()) {
    const { key: number, name, type } = channel;
    const unstorable = whyUnstorable({ name, ...channel.config });
    if (unstorable !== null) {
      refused.push({ type: "channel", name: plainLine(name), why: unstorable });
      continue;
    }
    const thereId = known.channels.find((one) => one.name === name && one.type === type)?.id;
    const found = channelEntry(channel, thereId !== undefined);
    if ("why" in found) {
      refused.push({ type: "channel", name, why: found.why });
      continue;
    }
    const key = `c${at + 1}`;
    channels[key] = found.entry;
    coming.channels.set(number, { key, name, thereId });
    objects[`channel ${key}`] = { type: "channel", name, detail: type, notes: found.notes };
  }

  const templates: Record<string, ConfigEntry> = {};
  for (const [at, { key: number, ...words }] of draft.templates.entries()) {
    const parsed = templateInput.safeParse(words);
    const why = whyUnstorable(words) ?? (parsed.success ? null : whyOf(faultsOf(parsed.error.issues)));
    if (!parsed.success || why !== null) {
      refused.push({ type: "template", name: plainLine(words.name), why: why! });
      continue;
    }
    const key = `t${at + 1}`;
    templates[key] = parsed.data;
    coming.templates.set(number, key);
    objects[`template ${key}`] = { type: "template", name: words.name, notes: [] };
  }

  const inputs: MonitorInput[] = [];
  for (const monitor of draft.monitors) {
    const parsed = monitorInput.safeParse({ ...monitor.input, dependsOn: [] });
    const why = whyUnstorable(monitor.input) ?? (parsed.success ? null : whyOf(faultsOf(parsed.error.issues)));
    if (!parsed.success || why !== null) {
      refused.push({ type: "monitor", name: plainLine(monitor.name), why: why! });
      continue;
    }
    inputs.push(parsed.data);
    coming.monitors.push({ draft: monitor, key: `m${inputs.length}` });
  }
  const keyOf = new Map(coming.monitors.map(({ draft: { key }, key: own }) => [key, own]));
  const monitors: Record<string, ConfigEntry> = {};
  for (const [at, { draft: monitor, key }] of coming.monitors.entries()) {
    const { locations, ...given } = inputs[at]!;
    // With an address that is given it is due from now on, so that a job that calls another one is noticed.
    const input = given.type === "heartbeat" ? { pingToken: randomUUID(), ...given } : given;
    const notes = [...monitor.notes];
    const { refs, lost } = readRefs(monitor.input["dependsOn"], keyOf, key);
    if (lost) notes.push({ text: "Without dependencies that cannot be imported" });
    const here = locations?.filter((name) => known.locations.includes(name)) ?? [];
    const lostLocations = locations?.filter((name) => !here.includes(name)) ?? [];
    if (lostLocations.length > 0) {
      const params = { locations: lostLocations.join(", ").slice(0, 200) };
      notes.push({ text: "Checked from this installation's location: {locations} does not exist here", params });
    }
    monitors[key] = { ...input, dependsOn: refs, ...(here.length > 0 && { locations: here }) };
    objects[`monitor ${key}`] = comingMonitor(input, notes);
  }
  const settings = translateSettings(draft, { known, coming, monitors, objects, refused });
  return { config: { channels, templates, monitors, settings }, objects, groups: draft.groups, refused };
}

function comingMonitor(input: Omit<MonitorInput, "locations">, notes: TranslatableText[]): PlannedObject {
  const check = { type: input.type, ...splitInput(input).check } as Parameters<typeof targetOf>[0];
  const { name, tags, paused } = input;
  return { type: "monitor", name, detail: targetOf(check), paused: paused || undefined, tags, notes };
}

/** Its dependencies, by the keys of the others. Agents register again, so files name none. */
function readRefs(given: unknown, keyOf: ReadonlyMap<number, string>, own: string) {
  const named = Array.isArray(given) ? (given as { type?: unknown; id?: unknown }[]) : [];
  const refs = named.flatMap((ref) => {
    const key = ref?.type === "monitor" && typeof ref.id === "number" ? keyOf.get(ref.id) : undefined;
    return key === undefined || key === own ? [] : [`monitor:${key}`];
  });
  return { refs: [...new Set(refs)].slice(0, 10), lost: refs.length < named.length };
}

type ChannelEntry = { entry: ConfigEntry; notes: TranslatableText[] } | { why: TranslatableText };

/** One without its secrets can only be used where it is there. */
function channelEntry({ name, type, enabled, config, notes, missing }: DraftChannel, isThere: boolean): ChannelEntry {
  const parsed = channelConfig(type).safeParse(config);
  if (parsed.success) {
    const params = { secrets: missing.join(", ").slice(0, 200) };
    const lost: TranslatableText[] =
      missing.length === 0 ? [] : [{ text: "Without {secrets}: enter it again", params }];
    return { entry: { type, name, enabled, ...parsed.data }, notes: [...notes, ...lost] };
  }
  if (missing.length === 0) return { why: whyOf(faultsOf(parsed.error.issues)) };
  if (isThere) return { entry: { type, name }, notes };
  return {
    why: { text: "An export does not contain secrets: add this channel manually first, with the same name" },
  };
}
