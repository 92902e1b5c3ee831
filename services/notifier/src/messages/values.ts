import { evidenceBounds } from "@sonde/proto/http/incidents/evidence";
import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import type { TemplateValues } from "@sonde/proto/http/notifications/templates";
import { explain } from "@sonde/proto/http/reasons/reasons";
import { alertKindOf, type AlertFacts } from "../alerts/incident.ts";
import { formatInstant, formatLatency, formatPercent, formatSpan, lineOf, visibleLines } from "./format.ts";
import {
  type AlertStatus,
  inLanguage,
  type Label,
  labels,
  statuses,
  type Texts,
  type WordedFacts,
} from "./texts/texts.ts";
import { texts as english } from "./texts/en-US.ts";
import { texts as chinese } from "./texts/zh-CN.ts";

const maxEntries = 20;
const maxNoteLength = 2000;

const listed = (entries: readonly string[], language: Language): string =>
  textsOf(language).list(entries.slice(0, maxEntries).map((entry) => lineOf(entry, 100)));

/** See docs/notifications.md. Unknown values are empty; only `note` and `evidenceBody` have several lines. */
export function templateValues(facts: AlertFacts, language: Language, incidentUrl = ""): TemplateValues {
  const worded = wordFacts(facts, language);
  const [status, previousStatus] = statusesOf(facts);
  const address = lineOf(facts.address, 2048);
  return {
    name: worded.name,
    kind: facts.kind,
    status: inLanguage(statuses[status], language),
    previousStatus: inLanguage(statuses[previousStatus], language),
    time: formatInstant(facts.atMs, facts.timeZone),
    url: facts.target.type === "monitor" ? address : "",
    responseTime: facts.responseTimeMs === undefined ? "" : formatLatency(facts.responseTimeMs, language),
    statusCode: facts.statusCode === undefined ? "" : String(facts.statusCode),
    expectedStatus: lineOf(facts.expectedStatus),
    error: worded.cause,
    hostname: lineOf(facts.hostname),
    ipAddresses: listed(facts.ipAddresses, language),
    os: lineOf(facts.os),
    metric: worded.metric,
    value: worded.value,
    threshold: worded.threshold,
    duration: worded.duration,
    incidentUrl,
    tags: listed(facts.tags, language),
    location: listed(facts.locations, language),
    note: visibleLines(facts.note, maxNoteLength).join("\n"),
    severity: facts.severity ?? "",
    link: lineOf(facts.link ?? "", 2048),
    labels: listed(
      Object.entries(facts.labels ?? {}).map(([name, value]) => `${name}=${value}`),
      language,
    ),
    target: address === "" ? lineOf(facts.hostname) : address,
    evidenceBody: visibleLines(facts.evidenceBody ?? "", evidenceBounds.body).join("\n"),
  };
}

function statusesOf({ kind, incidentKind, target, resolution }: AlertFacts): [AlertStatus, AlertStatus] {
  const ends: Partial<Record<IncidentKind, AlertStatus>> = {
    threshold: "cleared",
    external: "resolved",
    slo: "cleared",
  };
  const well = ends[incidentKind] ?? (target.type === "agent" ? "upAgent" : "upMonitor");
  const now = resolution === undefined || resolution === "recovered" ? well : resolution;
  if (kind === "test") return ["test", "test"];
  if (kind === "flapping") return ["flapping", incidentKind];
  if (kind === "steady") return [resolution === undefined ? incidentKind : now, "flapping"];
  if (kind === "fresh") return [now === well ? "fresh" : now, "stale"];
  return kind === alertKindOf(incidentKind, "opened") ? [incidentKind, well] : [now, incidentKind];
}

export function alertFields(facts: AlertFacts, language: Language): { label: string; value: string }[] {
  const values = templateValues(facts, language);
  const isOver = facts.closedAtMs !== undefined;
  const at = (ms: number) => formatInstant(ms, facts.timeZone);
  const worded: readonly [Label, string][] = [
    ["since", at(facts.openedAtMs)],
    ["until", facts.closedAtMs === undefined ? "" : at(facts.closedAtMs)],
    ["duration", isOver || facts.reminder > 0 ? values.duration : ""],
    ["address", values.url],
    ["hostname", values.hostname],
    ["ipAddresses", values.ipAddresses],
    ["os", values.os],
    ["statusCode", values.statusCode],
    ["responseTime", values.responseTime],
    ["location", values.location],
    ["tags", values.tags],
    ["escalation", stepOf(facts, language)],
    ["escalatedBy", [facts.step?.by, facts.step?.note].filter(Boolean).join(": ")],
    ["note", values.note],
    ["severity", values.severity],
    ["labels", values.labels],
    ["link", values.link],
  ];
  return worded
    .filter(([, value]) => value !== "")
    .map(([label, value]) => ({ label: inLanguage(labels[label], language), value }));
}

function stepOf({ step }: AlertFacts, language: Language): string {
  if (step === undefined || step.policy === "") return "";
  const number = inLanguage([`step ${step.number}`, `第 ${step.number} 步`], language);
  return `${lineOf(step.policy, 100)} · ${number}`;
}

const all: Readonly<Record<Language, Texts>> = { "en-US": english, "zh-CN": chinese };

export const textsOf = (language: Language): Texts => all[language];

const maxNames = 20;

export const causeOf = (cause: string, language: Language): string => lineOf(explain(cause, language));

export function wordFacts(facts: AlertFacts, language: Language): WordedFacts {
  const { metric } = textsOf(language);
  const { names, count } = facts.dependents;
  return {
    name: lineOf(facts.target.name),
    incidentKind: facts.incidentKind,
    resolution: facts.resolution,
    cause: causeOf(facts.cause, language),
    metric:
      facts.incidentKind === "threshold" && facts.metric
        ? metric(lineOf(facts.metric))
        : lineOf(facts.serviceLevel ?? ""),
    value: facts.value === undefined ? "" : formatPercent(facts.value, language),
    threshold: facts.threshold === undefined ? "" : formatPercent(facts.threshold, language),
    duration: formatSpan((facts.closedAtMs ?? facts.atMs) - facts.openedAtMs, language),
    flaps: facts.flaps,
    reminder: facts.reminder,
    dependents: { names: names.slice(0, maxNames).map((name) => lineOf(name, 100)), count },
  };
}

export const isClosedByUser = ({ resolution }: AlertFacts): boolean =>
  resolution !== undefined && resolution !== "recovered";
