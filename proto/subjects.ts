/** All subjects of the bus. `streams.ts` lists publishers and readers. */

export const partitions = 16;

/** Partition of a monitor or agent. */
export function partitionOf(id: number): number {
  return id % partitions;
}

export const subjects = {
  /** RESULTS: batches of check results of one partition and location; `*` for any. */
  results: (partition: number | "*", location: string) => `results.${partition}.${location}`,
  allResults: "results.>",
  /** Subject used by runners of the previous version (unused since 0.2.0). */
  previousResults: (partition: number) => `results.${partition}`,
  /** SAMPLES: batches of agents' samples of one partition. */
  samples: (partition: number) => `samples.${partition}`,
  allSamples: "samples.*",
  /** PINGS: pings of heartbeats of one partition, and presence marks of gateways. */
  pings: (partition: number) => `pings.${partition}`,
  allPings: "pings.*",
  /** EVENTS: `events.monitor.12`, `events.incident.m5`. */
  event: (noun: "monitor" | "agent" | "incident" | "delivery", id: string | number) => `events.${noun}.${id}`,
  allEvents: "events.>",
  /** AUDIT: changes by users and keys in one service. */
  audit: (service: string) => `audit.${service}`,
  allAudit: "audit.*",
  /** Messages that could not be parsed, with the reason in headers. */
  deadLetter: (stream: string) => `dead.${stream}`,
  allDeadLetters: "dead.*",
  /** Live figures of monitors; not stored. */
  liveMonitors: "live.monitors",
  /** Live figures of agents; not stored. */
  liveAgents: "live.agents",
  /** A service's method; `scope` narrows it to some servers, such as those of one location. */
  rpc: (service: string, method: string, scope?: string) =>
    scope === undefined ? `rpc.${service}.${method}` : `rpc.${service}.${method}.${scope}`,
  /** Heartbeats of a sharding group: `heartbeats.runners.default`. */
  heartbeats: (group: string) => `heartbeats.${group}`,
  /** Heartbeats of all runner groups, one subject per location. */
  allRunnerHeartbeats: "heartbeats.runners.*",
  /** Published by auth every second while the gateways' copy of sessions is current. */
  authHeartbeat: "heartbeat.auth",
  /**
   * Published by gateways every second: GatewayHeartbeat, which reports if they accept reports. Agents do not count as
   * silent while no gateway accepts reports or one is full.
   */
  gatewayHeartbeat: "heartbeat.gateway",
  /**
   * nats-server's queries about users that its configuration lacks, and where it expects the responses:
   * https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_callout
   */
  authCallout: "$SYS.REQ.USER.AUTH",
  authCalloutResponses: "$SYS._INBOX.>",
} as const;

/** Location of heartbeat results, which `monitors` publishes itself. No runner may have this name. */
export const heartbeatLocation = "@heartbeats";
/** Location in a RESULTS subject; undefined for the previous version's subjects. */
export const locationOfResults = (subject: string): string | undefined => subject.split(".")[2];

/** Sharding group of a location's runners. */
export const runnerGroup = (location: string) => `runners.${location}`;
/** Sharding group of the owners of a stream's partitions. */
export const ownerGroup = (service: string) => `owners.${service}`;
