import type { AlertKind } from "@sonde/proto/http/incidents/alerts";
import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import type { AlertFacts } from "../alerts/alert.ts";

const incidentKinds: Readonly<Record<AlertKind, IncidentKind>> = {
  down: "down",
  recovery: "down",
  offline: "offline",
  online: "offline",
  threshold: "threshold",
  cleared: "threshold",
  stale: "stale",
  fresh: "stale",
  flapping: "down",
  steady: "down",
  test: "down",
};
const ends: ReadonlySet<AlertKind> = new Set(["recovery", "online", "cleared", "fresh"]);

const words = {
  "en-US": { monitor: "Example shop", agent: "example-server", tag: "sample", note: "This is an example." },
  "zh-CN": { monitor: "示例商城", agent: "示例服务器", tag: "示例", note: "这是一个示例。" },
} as const;

const causes: Readonly<Record<IncidentKind, string>> = {
  down: "Expected status 200-299, got 503",
  offline: "No report for 30 s",
  threshold: "CPU at 97%, above 90%",
  stale: "No check result came for three slots",
};

/** The facts of a fictitious incident, for tests of channels and previews of templates. */
export function sampleFacts(kind: AlertKind, language: Language, nowMs: number): AlertFacts {
  const incidentKind = incidentKinds[kind];
  const isAgent = incidentKind === "offline" || incidentKind === "threshold";
  const { monitor, agent, tag, note } = words[language];
  const isOver = ends.has(kind);
  return {
    kind,
    // No incident has this id: its link leads to a page that reports that.
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
    hostname: isAgent ? "server.example.com" : "",
    ipAddresses: isAgent ? ["192.0.2.10"] : [],
    os: isAgent ? "Debian GNU/Linux 13" : "",
    value: incidentKind === "threshold" ? 97 : undefined,
    threshold: incidentKind === "threshold" ? 90 : undefined,
  };
}
