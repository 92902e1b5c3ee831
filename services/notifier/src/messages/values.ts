import type { Language } from "@sonde/proto/http/messages";
import type { TemplateValues } from "@sonde/proto/http/notifications/templates";
import type { AlertFacts } from "../alerts/alert.ts";
import { formatInstant, formatLatency } from "./format.ts";
import { lineOf, linesOf } from "./plain.ts";
import type { AlertStatus } from "./texts/texts.ts";
import { wordFacts, textsOf } from "./word-facts.ts";

const mostEntries = 20;
export const longestNote = 2000;

/** Entries of a list in one line. */
export const listed = (entries: readonly string[], language: Language): string =>
  textsOf(language).list(entries.slice(0, mostEntries).map((entry) => lineOf(entry, 100)));

/**
 * The values of `{{name}}` and the others in an alert. Unknown ones, or those of the other type of target, are empty.
 */
export function templateValues(facts: AlertFacts, language: Language, incidentUrl = ""): TemplateValues {
  const told = wordFacts(facts, language);
  const { statuses } = textsOf(language);
  const [status, previousStatus] = statusesOf(facts);
  const address = lineOf(facts.address, 2048);
  return {
    /** Of the monitor or agent. */
    name: told.name,
    /** As the API names it: down, recovery, offline, online, threshold, cleared, stale, fresh, flapping, steady. */
    kind: facts.kind,
    /** In words: up, down, online, offline, above threshold, no data, flapping. */
    status: statuses[status],
    previousStatus: statuses[previousStatus],
    /** When the alert was decided, with its zone. */
    time: formatInstant(facts.atMs, facts.timeZone),
    /** A monitor's address. */
    url: facts.target.type === "monitor" ? address : "",
    /** Of the last check: 128 ms. */
    responseTime: facts.responseTimeMs === undefined ? "" : formatLatency(facts.responseTimeMs, language),
    statusCode: facts.statusCode === undefined ? "" : String(facts.statusCode),
    expectedStatus: lineOf(facts.expectedStatus),
    /** Why the incident opened. */
    error: told.cause,
    /** Of an agent. */
    hostname: lineOf(facts.hostname),
    ipAddresses: listed(facts.ipAddresses, language),
    os: lineOf(facts.os),
    /** Of a threshold: CPU, memory, disk /data. */
    metric: told.metric,
    /** The measured value, in percent: 97%. */
    value: told.value,
    threshold: told.threshold,
    /** How long the incident has lasted, or had lasted when it closed. */
    duration: told.duration,
    /** Empty where PUBLIC_URL is not set. */
    incidentUrl,
    tags: listed(facts.tags, language),
    /** From where a monitor is checked. */
    location: listed(facts.locations, language),
    /** Users' note on the monitor: the only value that may have several lines. */
    note: linesOf(facts.note, longestNote).join("\n"),
    /** A monitor's address, an agent's host. */
    target: address === "" ? lineOf(facts.hostname) : address,
  };
}

/** The status now, and the one before. */
function statusesOf({ kind, incidentKind, target, resolution }: AlertFacts): [AlertStatus, AlertStatus] {
  const well = incidentKind === "threshold" ? "cleared" : target.type === "agent" ? "upAgent" : "upMonitor";
  const now = resolution === undefined || resolution === "recovered" ? well : resolution;
  switch (kind) {
    case "down":
    case "offline":
    case "threshold":
    case "stale":
      return [kind, well];
    case "recovery":
    case "online":
    case "cleared":
      return [now, incidentKind];
    case "fresh":
      return [now === well ? "fresh" : now, "stale"];
    case "flapping":
      return ["flapping", incidentKind];
    case "steady":
      return [resolution === undefined ? incidentKind : now, "flapping"];
    case "test":
      return ["test", "test"];
  }
}
