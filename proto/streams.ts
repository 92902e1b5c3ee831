import { subjects } from "./subjects.ts";

const hoursMs = (hours: number) => hours * 3_600_000;

/** Stream settings; sizes in bytes, ages in milliseconds. */
export type StreamSpec = { name: string; subjects: readonly string[]; maxAgeMs: number; maxBytes: number };

/** An embedded bus uses a quarter of `maxBytes`. Paths are relative to services/<service>/src. */
export const streams = {
  /** Published by probe-runner/results. Read by monitors/state/partition.ts (decides what is up) and metrics/ingest (history). */
  results: { name: "RESULTS", subjects: [subjects.allResults], maxAgeMs: hoursMs(24), maxBytes: 4 * 2 ** 30 },
  /** Published by agent-ingest/report. Read by agent-ingest/state/partition.ts (online, thresholds) and metrics/samples (history). */
  samples: { name: "SAMPLES", subjects: [subjects.allSamples], maxAgeMs: hoursMs(24), maxBytes: 4 * 2 ** 30 },
  /**
   * Published by gateway/pings; separate, so that a flood cannot displace results. Read by
   * monitors/heartbeats/partition.ts and metrics/pings.
   */
  pings: { name: "PINGS", subjects: [subjects.allPings], maxAgeMs: hoursMs(24), maxBytes: 2 ** 30 },
  /** Published by the outboxes of monitors and agent-ingest. Read by notifier/events (alerts), gateway/events, status-page and metrics/samples. */
  events: { name: "EVENTS", subjects: [subjects.allEvents], maxAgeMs: hoursMs(7 * 24), maxBytes: 2 ** 30 },
  /** Published by the outbox of every service with a database. Read by auth/audit. */
  audit: { name: "AUDIT", subjects: [subjects.allAudit], maxAgeMs: hoursMs(30 * 24), maxBytes: 2 ** 28 },
  /** Messages that a reader could not parse, with the reason in headers. */
  deadLetters: { name: "DEAD", subjects: [subjects.allDeadLetters], maxAgeMs: hoursMs(7 * 24), maxBytes: 2 ** 28 },
} as const satisfies Record<string, StreamSpec>;

/** Buckets of current state: key → message type of the value. */
export const buckets = {
  /** `<location>.<monitor id>` → sonde.monitors.v1.MonitorDefinition, read by the runners of that location */
  definitions: "definitions",
  /**
   * monitor id → sonde.monitors.v1.MonitorDefinition, for runners of the previous version (unused since 0.2.0). The
   * next version no longer writes it, and its administrator deletes it.
   */
  monitors: "monitors",
  /** monitor id → sonde.monitors.v1.MonitorTimeline */
  timelines: "timelines",
  /** hex SHA-256 of a token → sonde.auth.v1.Session */
  sessions: "sessions",
  /** hex SHA-256 of an agent's key → sonde.agents.v1.AgentKey */
  agents: "agents",
  /** hex SHA-256 of the end of an address → sonde.pings.v1.PingTarget; contains `allPingTargets` when it is complete */
  pings: "pings",
  /** hex SHA-256 of a remote runner's key → sonde.monitors.v1.RunnerKey */
  runners: "runners",
  /** agent id or `global` → sonde.agents.v1.Thresholds */
  thresholds: "thresholds",
  /**
   * Public pages: `<slug>.page`, `<slug>.states` → gzipped JSON of proto/http/status/snapshot.ts;
   * `<slug>.documents.<part>` → documents, see proto/http/status/documents.ts; `<slug>.access` → who can view the page,
   * see proto/http/status/access.ts; `_.documents` → documents shared by all pages
   */
  status: "status",
  /** maintenance window id → sonde.status.v1.MaintenanceWindow */
  maintenance: "maintenance",
} as const;
export type Bucket = (typeof buckets)[keyof typeof buckets];

/** Key of `pings` that marks the bucket as complete. It is missing while a recreated bucket is refilled. */
export const allPingTargets = "all";

/** Text whose hash is the key of an inbound monitor in `pings`. No ping key contains a colon. */
export const inboundKey = (token: string) => `inbound:${token}`;

/** Key filter of `definitions` for one location. */
export const definitionsOf = (location: string) => `${location}.>`;
export const definitionKey = (location: string, monitorId: number) => `${location}.${monitorId}`;
