import { subjects } from "./subjects.ts";

const hoursMs = (hours: number) => hours * 3_600_000;

/** A stream as the bus ensures it; sizes in bytes, ages in milliseconds. */
export type StreamSpec = { name: string; subjects: readonly string[]; maxAgeMs: number; maxBytes: number };

/** A local bus gets a quarter of `maxBytes`. Paths are in services/<service>/src. */
export const streams = {
  /** Published by probe-runner/results. Read by monitors/state/partition.ts (decides what is up) and metrics/ingest (history). */
  results: { name: "RESULTS", subjects: [subjects.allResults], maxAgeMs: hoursMs(24), maxBytes: 4 * 2 ** 30 },
  /** Published by agent-ingest/report. Read by agent-ingest/state/partition.ts (online, thresholds) and metrics/samples (history). */
  samples: { name: "SAMPLES", subjects: [subjects.allSamples], maxAgeMs: hoursMs(24), maxBytes: 4 * 2 ** 30 },
  /** Published by gateway/pings; a stream of their own, so a flood cannot push results out. Read by monitors/heartbeats/partition.ts and metrics/pings. */
  pings: { name: "PINGS", subjects: [subjects.allPings], maxAgeMs: hoursMs(24), maxBytes: 2 ** 30 },
  /** Published by the outboxes of monitors and agent-ingest. Read by notifier/events (alerts), gateway/events, status-page and metrics/samples. */
  events: { name: "EVENTS", subjects: [subjects.allEvents], maxAgeMs: hoursMs(7 * 24), maxBytes: 2 ** 30 },
  /** Published by the outbox of every service with a database. Read by auth/audit. */
  audit: { name: "AUDIT", subjects: [subjects.allAudit], maxAgeMs: hoursMs(30 * 24), maxBytes: 2 ** 28 },
  /** Messages that a reader could not parse, with the reason. */
  deadLetters: { name: "DEAD", subjects: [subjects.allDeadLetters], maxAgeMs: hoursMs(7 * 24), maxBytes: 2 ** 28 },
} as const satisfies Record<string, StreamSpec>;

/** Buckets of present state: key → value of the named message. */
export const buckets = {
  /** `<location>.<monitor id>` → sonde.monitors.v1.MonitorDefinition: what the runners of that location read */
  definitions: "definitions",
  /**
   * monitor id → sonde.monitors.v1.MonitorDefinition, for runners of the version before (unused since 0.2.0). The next
   * version writes it no more, and its administrator deletes it.
   */
  monitors: "monitors",
  /** monitor id → sonde.monitors.v1.MonitorTimeline */
  timelines: "timelines",
  /** hex SHA-256 of a token → sonde.auth.v1.Session */
  sessions: "sessions",
  /** hex SHA-256 of an agent's key → sonde.agents.v1.AgentKey */
  agents: "agents",
  /** hex SHA-256 of the end of an address → sonde.pings.v1.PingTarget; `allPingTargets` once every address is in it */
  pings: "pings",
  /** agent id or `global` → sonde.agents.v1.Thresholds */
  thresholds: "thresholds",
  /**
   * Public pages: `<slug>.page`, `<slug>.states` → gzipped JSON of proto/http/status/snapshot.ts;
   * `<slug>.documents.<part>` → its documents, as proto/http/status/documents.ts describes them; `<slug>.access` → who may
   * read it, as proto/http/status/access.ts has it; `_.documents` → what no page has for itself
   */
  status: "status",
  /** maintenance window id → sonde.status.v1.MaintenanceWindow */
  maintenance: "maintenance",
} as const;
export type Bucket = (typeof buckets)[keyof typeof buckets];

/** A key of `pings`: without it the bucket may lack addresses, since it was made again. */
export const allPingTargets = "all";

/** The part of the keys of `definitions` that the runners of a location read. */
export const definitionsOf = (location: string) => `${location}.>`;
/** A key of `definitions`. */
export const definitionKey = (location: string, monitorId: number) => `${location}.${monitorId}`;
