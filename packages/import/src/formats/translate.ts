import type { ConfigEntry } from "@sonde/proto/http/config/document";
import { targetOf } from "@sonde/proto/http/monitors/kinds";
import { type MonitorInput, monitorInput, splitInput } from "@sonde/proto/http/monitors/monitors";
import { channelConfig } from "@sonde/proto/http/notifications/channels";
import { templateInput } from "@sonde/proto/http/notifications/templates";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { plainLine } from "@sonde/proto/http/text";
import { randomUUID } from "node:crypto";
import { translateOnCall } from "./on-call.ts";
import { translateSettings } from "./settings.ts";
import { translateSlos } from "./slos.ts";
import {
  type ImportedObjects,
  type Draft,
  type DraftChannel,
  type ExistingObjects,
  type PlannedObject,
  type RefusedObject,
  type TranslatedImport,
  whyOf,
  whyUnstorable,
} from "./shapes.ts";

/** Refuses objects that violate the rules of the public API. */
export function toDocument(draft: Draft, existing: ExistingObjects): TranslatedImport {
  const refused: RefusedObject[] = [...draft.refused];
  const objects: Record<string, PlannedObject> = {};
  const imported: ImportedObjects = {
    monitors: [],
    channels: new Map(),
    templates: new Map(),
    policyKeyOf: () => undefined,
  };

  const channels: Record<string, ConfigEntry> = {};
  for (const [at, channel] of draft.channels.entries()) {
    const { key: number, name, type } = channel;
    const unstorable = whyUnstorable({ name, ...channel.config });
    if (unstorable !== null) {
      refused.push({ type: "channel", name: plainLine(name), why: unstorable });
      continue;
    }
    const existingId = existing.channels.find((one) => one.name === name && one.type === type)?.id;
    const found = channelEntry(channel, existingId !== undefined);
    if ("why" in found) {
      refused.push({ type: "channel", name, why: found.why });
      continue;
    }
    const key = `c${at + 1}`;
    channels[key] = found.entry;
    imported.channels.set(number, { key, name, existingId });
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
    imported.templates.set(number, key);
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
    imported.monitors.push({ draft: monitor, key: `m${inputs.length}` });
  }
  const keyOf = new Map(imported.monitors.map(({ draft: { key }, key: own }) => [key, own]));
  const monitors: Record<string, ConfigEntry> = {};
  for (const [at, { draft: monitor, key }] of imported.monitors.entries()) {
    const { locations, ...given } = inputs[at]!;
    // A monitor with a known address is due immediately, so a job that still calls another address is noticed.
    const input = given.type === "heartbeat" ? { pingToken: randomUUID(), ...given } : given;
    const notes = [...monitor.notes];
    const { refs, lost } = readRefs(monitor.input["dependsOn"], keyOf, key);
    if (lost) notes.push({ text: "Some dependencies cannot be imported" });
    const here = locations?.filter((name) => existing.locations.includes(name)) ?? [];
    const lostLocations = locations?.filter((name) => !here.includes(name)) ?? [];
    if (lostLocations.length > 0) {
      const params = { locations: lostLocations.join(", ").slice(0, 200) };
      notes.push({ text: "Checked from this installation's location: {locations} does not exist here", params });
    }
    const members = input.type === "group" ? input.members.flatMap((member) => keyOf.get(member) ?? []) : [];
    if (input.type === "group" && members.length < input.members.length)
      notes.push({ text: "Some members cannot be imported" });
    monitors[key] = {
      ...input,
      ...(members.length > 0 && { members }),
      dependsOn: refs,
      ...(here.length > 0 && { locations: here }),
    };
    objects[`monitor ${key}`] = plannedMonitor(input, notes);
  }
  const { policyKeyOf, ...onCall } = translateOnCall(draft, { imported, objects, refused });
  imported.policyKeyOf = policyKeyOf;
  const settings = translateSettings(draft, { existing, imported, monitors, objects, refused });
  const slos = translateSlos(draft, { imported, monitors, objects, refused });
  return { config: { channels, templates, ...onCall, monitors, slos, settings }, objects, refused };
}

function plannedMonitor(input: Omit<MonitorInput, "locations">, notes: TranslatableText[]): PlannedObject {
  const check = { type: input.type, ...splitInput(input).check } as Parameters<typeof targetOf>[0];
  const { name, tags, paused } = input;
  return {
    type: input.type === "group" ? "group" : "monitor",
    name,
    detail: targetOf(check),
    paused: paused || undefined,
    tags,
    notes,
  };
}

/** Agents have to register again, so they cannot be referenced. */
function readRefs(given: unknown, keyOf: ReadonlyMap<number, string>, own: string) {
  const named = Array.isArray(given) ? (given as { type?: unknown; id?: unknown }[]) : [];
  const refs = named.flatMap((ref) => {
    const key = ref?.type === "monitor" && typeof ref.id === "number" ? keyOf.get(ref.id) : undefined;
    return key === undefined || key === own ? [] : [`monitor:${key}`];
  });
  return { refs: [...new Set(refs)].slice(0, 10), lost: refs.length < named.length };
}

type ChannelEntry = { entry: ConfigEntry; notes: TranslatableText[] } | { why: TranslatableText };

/** Without its secrets, a channel can only be used if it already exists. */
function channelEntry({ name, type, enabled, config, notes, missing }: DraftChannel, exists: boolean): ChannelEntry {
  const parsed = channelConfig(type).safeParse(config);
  if (parsed.success) {
    const params = { secrets: missing.join(", ").slice(0, 200) };
    const lost: TranslatableText[] =
      missing.length === 0 ? [] : [{ text: "{secrets} not imported: enter it again", params }];
    return { entry: { type, name, enabled, ...parsed.data }, notes: [...notes, ...lost] };
  }
  if (missing.length === 0) return { why: whyOf(faultsOf(parsed.error.issues)) };
  if (exists) return { entry: { type, name }, notes };
  return {
    why: { text: "An export does not contain secrets: add this channel manually first, with the same name" },
  };
}
