import type { AlertKind, TemplateKind } from "@sonde/proto/http/incidents/alerts";
import { type IncidentKind, incidentKinds } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import { alertKindOf, type AlertFacts } from "../alerts/incident.ts";
import { inLanguage, labels, type WordedFacts } from "./texts/texts.ts";
import { textsOf } from "./values.ts";

const words = {
  "en-US": { monitor: "Example shop", agent: "example-server", tag: "sample", note: "This is an example." },
  "zh-CN": { monitor: "示例商城", agent: "示例服务器", tag: "示例", note: "这是一个示例。" },
} as const;

const causes: Readonly<Record<IncidentKind, string>> = {
  down: "Expected status 200-299, got 503",
  offline: "No report for 30 s",
  threshold: "CPU at 97%, above 90%",
  stale: "Three check results in a row are missing",
  partial: "Down from eu1 only: The connection timed out",
  slow: "3 of 5 checks took longer than 800 ms, most recently 1240 ms",
  external: "High error rate on checkout",
  slo: "Checkout: 11 minutes left this month; at this rate used up on Thursday",
};

const isAlertOf = (incident: IncidentKind, kind: AlertKind) =>
  kind === alertKindOf(incident, "opened") || kind === alertKindOf(incident, "closed");

export function sampleFacts(kind: AlertKind, language: Language, nowMs: number): AlertFacts {
  const incidentKind = incidentKinds.find((known) => isAlertOf(known, kind)) ?? "down";
  const isAgent = incidentKind === "offline" || incidentKind === "threshold";
  const { monitor, agent, tag, note } = words[language];
  const isOver = kind === alertKindOf(incidentKind, "closed");
  return {
    kind,
    // No incident has this id, so its link leads to a "not found" page.
    incidentId: isAgent ? "a0" : "m0",
    incidentKind,
    target: { type: isAgent ? "agent" : "monitor", id: 0, name: isAgent ? agent : monitor },
    metric: incidentKind === "threshold" ? "cpu" : undefined,
    cause: causes[incidentKind],
    openedAtMs: nowMs - (isOver ? 5 * 60_000 : 0),
    closedAtMs: isOver ? nowMs : undefined,
    resolution: isOver ? "recovered" : undefined,
    flaps: kind === "flapping" ? 9 : 0,
    atMs: nowMs,
    reminder: 0,
    dependents: { names: [], count: 0 },
    address: isAgent ? "" : "https://shop.example.com/",
    tags: isAgent ? [] : [tag],
    locations: isAgent ? [] : ["default"],
    note: isAgent ? "" : note,
    responseTimeMs: isAgent ? undefined : 128,
    statusCode: isAgent ? undefined : isOver ? 200 : 503,
    expectedStatus: isAgent ? "" : "200-299",
    severity: incidentKind === "external" ? "critical" : "",
    link: incidentKind === "external" ? "https://prometheus.example.com/graph" : "",
    serviceLevel: incidentKind === "slo" ? "Checkout" : "",
    labels: incidentKind === "external" ? { service: "checkout" } : {},
    evidenceBody: incidentKind === "down" ? "Service Unavailable" : undefined,
    hostname: isAgent ? "server.example.com" : "",
    ipAddresses: isAgent ? ["192.0.2.10"] : [],
    os: isAgent ? "Debian GNU/Linux 13" : "",
    value: incidentKind === "threshold" ? 97 : undefined,
    threshold: incidentKind === "threshold" ? 90 : undefined,
  };
}

export function builtInTemplate(kind: TemplateKind, language: Language): { subject: string; content: string } {
  const { titles, lines } = textsOf(language);
  const { incidentKind, target } = sampleFacts(kind, language, 0);
  const worded: WordedFacts = {
    name: "{{name}}",
    incidentKind,
    cause: "{{error}}",
    metric: "{{metric}}",
    value: "{{value}}",
    threshold: "{{threshold}}",
    duration: "{{duration}}",
    flaps: 0,
    reminder: 0,
    dependents: { names: [], count: 0 },
  };
  const address = inLanguage(labels[target.type === "agent" ? "hostname" : "address"], language);
  const content = [
    ...lines[kind](worded),
    `${address}${language === "zh-CN" ? "：" : ": "}{{target}}`,
    "{{time}}",
    "{{incidentUrl}}",
  ];
  return { subject: titles[kind](worded), content: content.filter((line) => line !== "").join("\n") };
}
