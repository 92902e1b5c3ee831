import type { Healthchecks } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { plainLine } from "@sonde/proto/http/text";
import { truncate, fitTags } from "./kuma/monitor.ts";
import type { Draft, DraftMonitor } from "./shapes.ts";
import { textOf } from "./texts.ts";

type Fields = Record<string, unknown>;

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/**
 * Reads a response of healthchecks.io (https://healthchecks.io/docs/api/): `timeout` and `grace` in seconds, `schedule`
 * is cron in the zone `tz`. Read-only keys receive no `uuid`; the monitors then get new addresses.
 */
export function readHealthchecks({ checks }: Healthchecks): Draft {
  return {
    monitors: checks.map((fields, index) => readMonitor(fields, index + 1)),
    channels: [],
    templates: [],
    // The response has no integrations, so all monitors use the settings here.
    assignsChannelsPerMonitor: false,
    globalMonitor: null,
    globalAgent: null,
    refused: [],
  };
}

function readMonitor(fields: Fields, key: number): DraftMonitor {
  const notes: TranslatableText[] = [];
  const uuid = textOf(fields["uuid"]);
  const slug = textOf(fields["slug"]);
  const given = plainLine(textOf(fields["name"])).trim() || slug || uuid.slice(0, 8);
  const name = truncate(given, 100);
  if (name !== given) notes.push({ text: "Name shortened" });
  const { tags, lost } = fitTags(textOf(fields["tags"]).split(" "));
  if (lost) notes.push({ text: "Some tags are shortened or omitted" });
  if (uuid === "") notes.push({ text: "Had no ping address, so it gets a new one" });
  if (fields["filter_subject"] === true || fields["filter_body"] === true)
    notes.push({ text: "Keyword rules for emails and bodies are not imported" });
  const cron = textOf(fields["schedule"]);
  const timeout = numberOf(fields["timeout"]);
  const input = {
    type: "heartbeat",
    name,
    note: truncate(textOf(fields["desc"]), 4000),
    tags,
    paused: fields["status"] === "paused",
    ...(cron === "" ? { every: (timeout ?? 86_400) / 60 } : { cron, timeZone: textOf(fields["tz"]) || "UTC" }),
    grace: numberOf(fields["grace"]) ?? 3600,
    ...(slug !== "" && { slug }),
    ...(uuid !== "" && { pingToken: uuid }),
  };
  return { key, name, input, notes, settings: null };
}
