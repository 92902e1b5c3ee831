/** The only spellings of subjects on the bus. `streams.ts` says who publishes and who reads each. */

export const partitions = 16;

/** The partition of a monitor or an agent. */
export function partitionOf(id: number): number {
  return id % partitions;
}

export const subjects = {
  /** RESULTS: batches of check results of one partition, found at one location; `*` for any. */
  results: (partition: number | "*", location: string) => `results.${partition}.${location}`,
  allResults: "results.>",
  /** The same as runners of the version before publish them (unused since 0.2.0). */
  previousResults: (partition: number) => `results.${partition}`,
  /** SAMPLES: batches of agents' samples of one partition. */
  samples: (partition: number) => `samples.${partition}`,
  allSamples: "samples.*",
  /** PINGS: what jobs called, of heartbeats of one partition, and marks of gateways that take pings. */
  pings: (partition: number) => `pings.${partition}`,
  allPings: "pings.*",
  /** EVENTS: `events.monitor.12`, `events.incident.m5`. */
  event: (noun: "monitor" | "agent" | "incident" | "delivery", id: string | number) => `events.${noun}.${id}`,
  allEvents: "events.>",
  /** AUDIT: what people and keys changed in one service. */
  audit: (service: string) => `audit.${service}`,
  allAudit: "audit.*",
  /** What could not be understood, with its reason in headers. */
  deadLetter: (stream: string) => `dead.${stream}`,
  allDeadLetters: "dead.*",
  /** Live figures of monitors, kept nowhere. */
  liveMonitors: "live.monitors",
  /** Live figures of agents, kept nowhere. */
  liveAgents: "live.agents",
  /** One method of a service; `scope` narrows it to some of its servers, such as those of one location. */
  rpc: (service: string, method: string, scope?: string) =>
    scope === undefined ? `rpc.${service}.${method}` : `rpc.${service}.${method}.${scope}`,
  /** Heartbeats of a sharding group: `heartbeats.runners.default`. */
  heartbeats: (group: string) => `heartbeats.${group}`,
  /** Heartbeats of all runner groups: one subject a location. */
  allRunnerHeartbeats: "heartbeats.runners.*",
  /** Auth publishes every second that gateways' copy of sessions is current. */
  authHeartbeat: "heartbeat.auth",
  /**
   * Every second gateways publish whether they accept agents' reports or are full (GatewayHeartbeat): while none does,
   * or one is full, no agent counts as silent.
   */
  gatewayHeartbeat: "heartbeat.gateway",
} as const;

/** The location of results of heartbeats, which no runner checks: `monitors` publishes them. No runner may be named so. */
export const heartbeatLocation = "@heartbeats";
/** The location of a message of RESULTS; undefined in the form of the version before. */
export const locationOfResults = (subject: string): string | undefined => subject.split(".")[2];

/** The sharding group of a location's runners. */
export const runnerGroup = (location: string) => `runners.${location}`;
/** The sharding group of those who own partitions of a stream. */
export const ownerGroup = (service: string) => `owners.${service}`;
