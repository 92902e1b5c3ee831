import type { Exported } from "@sonde/proto/http/import";
import { checkTypes, kindOf } from "@sonde/proto/http/monitors/kinds";
import { channelTypeNames, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { secretMask } from "@sonde/proto/http/secrets";
import * as z from "zod";
import type { Draft, DraftChannel, DraftMonitor, DraftSettings, DraftTemplate, RefusedObject } from "./shapes.ts";
import { textOf } from "./texts.ts";

type Fields = Record<string, unknown>;
const maxOmitted = 1_000;

const keyOf = ({ id }: Fields): number => (typeof id === "number" ? id : 0);
/** Announcements have a title instead. */
const nameOf = ({ name, title }: Fields): string => {
  const given = name ?? title;
  return typeof given === "string" ? given.slice(0, 200) : "";
};
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Exports contain no secrets: a monitor that lacks one is paused, a channel that needs one is not imported. */
export function readExport(exported: Exported): Draft {
  const channels: DraftChannel[] = [];
  const refused: RefusedObject[] = [];
  for (const fields of exported.channels) {
    const type = channelTypeNames.find((name) => name === fields["type"]);
    const name = nameOf(fields);
    if (type === undefined) {
      const params = { type: textOf(fields["type"]).slice(0, 40) };
      refused.push({
        type: "channel",
        name,
        why: { text: "Sonde does not support this type of channel ({type})", params },
      });
      continue;
    }
    const { config, missing } = withoutMasks(isFields(fields["config"]) ? fields["config"] : {}, type);
    const enabled = fields["enabled"] !== false;
    channels.push({ key: keyOf(fields), name, type, enabled, config, notes: [], missing });
  }
  refused.push(...leftOut(exported));
  const known = new Set(channels.map(({ key }) => key));
  const { globalMonitor, globalAgent, monitors: own } = exported.settings;
  return {
    monitors: exported.monitors.map((fields) => readMonitor(fields, own[String(keyOf(fields))], known)),
    channels,
    templates: exported.templates.map(readTemplate),
    assignsChannelsPerMonitor: false,
    globalMonitor: globalMonitor === undefined ? null : readSettings(globalMonitor, known),
    globalAgent: globalAgent === undefined ? null : readSettings(globalAgent, known),
    onCall: { schedule: exported.schedules, policy: exported.policies, drill: exported.drills },
    slos: exported.slos,
    refused,
  };
}

function leftOut(exported: Exported): RefusedObject[] {
  const named = (type: RefusedObject["type"], list: string, why: TranslatableText): RefusedObject[] => {
    const given = exported[list];
    const entries = Array.isArray(given) ? (given as unknown[]).filter(isFields).slice(0, maxOmitted) : [];
    return entries.map((fields) => ({
      type,
      name: nameOf(fields),
      why,
    }));
  };
  const byHand: TranslatableText = { text: "Not imported: set it up manually" };
  return [
    ...(isFields(exported["statusPage"]) ? [{ type: "statusPage" as const, name: "", why: byHand }] : []),
    ...named("maintenance", "maintenance", byHand),
    ...named("announcement", "announcements", byHand),
    ...named("report", "reports", byHand),
    ...named("agent", "agents", { text: "Agents must be registered again, each with its own token" }),
  ];
}

function readMonitor(
  { id: _id, ...fields }: Fields,
  own: Fields | undefined,
  known: ReadonlySet<number>,
): DraftMonitor {
  const notes: TranslatableText[] = [];
  const { input, missing } = withoutSecrets(fields);
  if (missing.length > 0) {
    input["paused"] = true;
    notes.push({
      text: "Paused: enter the value of {headers} again",
      params: { headers: missing.join(", ").slice(0, 200) },
    });
  }
  const settings = own === undefined ? null : readSettings(own, known);
  return { key: keyOf({ id: _id }), name: nameOf(fields), input, notes, settings };
}

/** Lists masked secrets in `missing`, and removes options that are invalid without theirs. */
function withoutSecrets(fields: Fields, isPart = false): { input: Fields; missing: string[] } {
  const input: Fields = { ...fields };
  let missing: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === secretMask) {
      delete input[name];
      missing.push(name);
    } else if (Array.isArray(value)) {
      const [masked, kept] = split(value as unknown[], (item) => isFields(item) && item["value"] === secretMask);
      if (masked.length > 0) input[name] = kept;
      missing = missing.concat(masked.map((item) => textOf((item as Fields)["name"]).slice(0, 60)));
      if (isPart || name !== "steps") continue;
      const steps = kept.map((item) => (isFields(item) ? withoutSecrets(item, true) : { input: item, missing: [] }));
      input[name] = steps.map((step) => step.input);
      missing = missing.concat(steps.flatMap((step) => step.missing));
    } else if (isFields(value)) {
      const [masked, kept] = split(Object.entries(value), ([, part]) => part === secretMask);
      if (masked.length === 0) continue;
      missing = missing.concat(masked.map(([part]) => `${name}.${part}`.slice(0, 60)));
      const rest = Object.fromEntries(kept);
      const type = checkTypes.find((one) => one === (fields["type"] ?? "http"));
      const schema = type && kindOf(type).fields[name];
      if (schema !== undefined && z.safeParse(schema, rest).success) input[name] = rest;
      else delete input[name];
    }
  }
  return { input, missing };
}

const split = <Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
];

const readTemplate = (fields: Fields): DraftTemplate => ({
  key: keyOf(fields),
  name: nameOf(fields),
  kind: textOf(fields["kind"]),
  subject: textOf(fields["subject"]),
  content: textOf(fields["content"]),
});

function readSettings({ channels, templateId, policyId, ...more }: Fields, known: ReadonlySet<number>): DraftSettings {
  const named = Array.isArray(channels) ? (channels as unknown[]).filter((key) => typeof key === "number") : [];
  const imported = named.filter((key) => known.has(key));
  const templateKey = typeof templateId === "number" ? templateId : null;
  const policyKey = typeof policyId === "number" ? policyId : undefined;
  return { channels: imported, lost: named.length - imported.length, templateKey, policyKey, more };
}

function withoutMasks(given: Fields, type: DraftChannel["type"]): { config: Fields; missing: string[] } {
  const missing = channelTypeOf(type)
    .form.map(({ name }) => name as string)
    .filter((name) => given[name] === secretMask);
  const config = Object.fromEntries(Object.entries(given).filter(([name]) => !missing.includes(name)));
  const headers = Array.isArray(config["headers"]) ? (config["headers"] as unknown[]) : null;
  if (headers === null) return { config, missing };
  const [masked, kept] = split(headers, (header) => isFields(header) && header["value"] === secretMask);
  const names = masked.map((header) => textOf((header as Fields)["name"]));
  return { config: { ...config, headers: kept }, missing: [...missing, ...names] };
}
