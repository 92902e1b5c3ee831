import type { IncidentProducer } from "./http/incidents/incidents.ts";
import { type ServiceName, serviceNames } from "./services.ts";
import { buckets, definitionsOf, streams } from "./streams.ts";
import { heartbeatLocation, ownerGroup, runnerGroup, subjects } from "./subjects.ts";

/** Bus permissions of one service. Streams are named as in JetStream; a bucket's stream is `KV_<bucket>`. */
type Access = {
  /** RPC services that it implements, its own first. */
  answers?: readonly Answering[];
  /** Services whose methods it calls, except health. */
  asks?: readonly ServiceName[];
  /**
   * Like `asks`, restricted to these methods: of the service's first RPC service, or `<service>/<method>` of another.
   */
  asksOnly?: Readonly<Partial<Record<ServiceName, readonly string[]>>>;
  /** Streams and buckets that it creates if missing. It is the only writer of these buckets. */
  makes?: readonly string[];
  reads?: readonly string[];
  /** Buckets of which it reads only these keys. */
  readsKeys?: Readonly<Record<string, string>>;
  /** Buckets of other services that may be missing: the service starts and works without them. */
  awaits?: readonly string[];
  /** Streams read through the durable consumer named after the service. */
  pulls?: readonly string[];
  /** Subjects that it publishes, besides calls and responses. */
  publishes?: readonly string[];
  /** Subjects that it subscribes to, besides its methods and responses to its calls. */
  subscribes?: readonly string[];
  /** Additional JetStream API calls. */
  api?: readonly string[];
};

/** An RPC service. `scope` separates services that implement the same contract. */
type Answering = { service: string; scope?: string; subject: string };

const bucketStream = (bucket: string) => `KV_${bucket}`;
const rpc = (service: string, scope?: string) => ({ service, scope, subject: subjects.rpc(service, "*", scope) });
const incidentsService = "incidents";
/** The incidents contract, implemented by each producer. */
const incidents = (producer: IncidentProducer | "drills") => rpc(incidentsService, producer);
const incidentCalls = [`${incidentsService}/listEvents`, `${incidentsService}/getIncident`];
/** For taps on buttons of messages. */
const tapCalls = [`${incidentsService}/acknowledgeIncident`, `${incidentsService}/snoozeIncident`];
const reportCalls = [`${incidentsService}/listIncidents`];
const healthService = "health";
/** The health contract, implemented by every service. */
const health = (service: ServiceName) => rpc(healthService, service);
const { results, samples, pings, events, audit, deadLetters } = streams;
const dead = (stream: { name: string }) => subjects.deadLetter(stream.name);

/**
 * Access of the runners at one location: they can only read its definitions and publish its results. `*` for any
 * location.
 */
const runnerAccess = (location: string): Access => ({
  // The location is the last token of the subject.
  answers: [rpc("probes", location), health("probe-runner")],
  readsKeys: { [buckets.definitions]: definitionsOf(location) },
  publishes: [`results.*.${location}`, subjects.heartbeats(runnerGroup(location))],
  subscribes: [subjects.heartbeats(runnerGroup(location))],
});

/** Access for runners of the previous version, which may still run during an upgrade (unused since 0.2.0). */
const previousRunnerAccess: Access = {
  answers: [rpc("sonde.probes.v1.ProbesService", "*"), health("probe-runner")],
  reads: [bucketStream(buckets.monitors)],
  publishes: ["results.*", subjects.heartbeats(runnerGroup("*"))],
  subscribes: [subjects.heartbeats(runnerGroup("*"))],
};

/**
 * Permissions of every service on the bus. Each service has a user with its name; runners have one per location.
 * nats-server rejects everything else.
 */
export const access: Readonly<Record<ServiceName, Access>> = {
  auth: {
    answers: [rpc("auth"), rpc("factors"), rpc("invites"), rpc("keys"), rpc("audit"), rpc("sign-in"), health("auth")],
    // Emails invites, and notifies owners when a provider is linked to their account.
    asksOnly: { notifier: ["listChannels", "sendMail"] },
    makes: [audit.name, deadLetters.name, bucketStream(buckets.sessions)],
    reads: [bucketStream(buckets.sessions)],
    pulls: [audit.name],
    publishes: [subjects.authHeartbeat, dead(audit)],
    api: [`STREAM.PURGE.${bucketStream(buckets.sessions)}`],
  },
  monitors: {
    answers: [rpc("monitors"), incidents("monitors"), health("monitors")],
    asks: ["probe-runner"],
    // Slots of service levels, results to replay, and names of agents that incidents share.
    asksOnly: { metrics: ["countSlots", "checksAroundFailures"], "agent-ingest": ["listAgents"] },
    makes: [
      results.name,
      pings.name,
      events.name,
      audit.name,
      deadLetters.name,
      bucketStream(buckets.definitions),
      bucketStream(buckets.monitors),
      bucketStream(buckets.timelines),
      bucketStream(buckets.pings),
      bucketStream(buckets.runners),
    ],
    reads: [
      results.name,
      pings.name,
      bucketStream(buckets.pings),
      bucketStream(buckets.runners),
      bucketStream(buckets.definitions),
      bucketStream(buckets.monitors),
      bucketStream(buckets.timelines),
    ],
    // Without this bucket nothing is in maintenance.
    awaits: [bucketStream(buckets.maintenance)],
    publishes: [
      subjects.event("monitor", "*"),
      subjects.event("incident", "*"),
      subjects.audit("monitors"),
      dead(results),
      dead(pings),
      // Results of heartbeats, which monitors publishes itself.
      subjects.results("*", heartbeatLocation),
      subjects.liveMonitors,
      subjects.heartbeats(ownerGroup("monitors")),
      subjects.heartbeats(ownerGroup("heartbeats")),
      subjects.authCalloutResponses,
    ],
    subscribes: [
      // Decides which remote runners may connect.
      subjects.authCallout,
      subjects.liveMonitors,
      subjects.heartbeats(ownerGroup("monitors")),
      subjects.heartbeats(ownerGroup("heartbeats")),
      subjects.allRunnerHeartbeats,
    ],
    // For consumers with two filters, the client sends the name only in the request body. The server rejects durable
    // consumers there.
    api: [`CONSUMER.CREATE.${results.name}`],
  },
  "agent-ingest": {
    answers: [rpc("agents"), incidents("agents"), health("agent-ingest")],
    // Checks that the creator of a token still exists.
    asksOnly: { auth: ["getUser"] },
    makes: [samples.name, events.name, audit.name, deadLetters.name, bucketStream(buckets.agents)],
    reads: [samples.name, bucketStream(buckets.agents)],
    // Default thresholds apply until the notifier creates the bucket.
    awaits: [bucketStream(buckets.thresholds)],
    publishes: [
      subjects.allSamples,
      subjects.event("agent", "*"),
      subjects.event("incident", "*"),
      subjects.audit("agent-ingest"),
      dead(samples),
      subjects.liveAgents,
      subjects.heartbeats(ownerGroup("agent-ingest")),
      // Announces that its own listener rejects reports.
      subjects.gatewayHeartbeat,
    ],
    subscribes: [subjects.heartbeats(ownerGroup("agent-ingest")), subjects.gatewayHeartbeat],
    // Reads the backlog of the slowest SAMPLES consumer.
    api: [`CONSUMER.LIST.${samples.name}`],
  },
  gateway: {
    answers: [health("gateway")],
    asks: ["auth", "monitors", "agent-ingest", "metrics", "notifier", "status-page"],
    reads: [events.name, bucketStream(buckets.sessions)],
    // Without these buckets there is no public page, no maintenance and no remote runner.
    awaits: [buckets.status, buckets.maintenance, buckets.pings, buckets.runners].map(bucketStream),
    publishes: [subjects.gatewayHeartbeat, subjects.allPings],
    subscribes: [subjects.liveMonitors, subjects.liveAgents, subjects.authHeartbeat],
    // Reads the backlog of the slowest PINGS consumer.
    api: [`CONSUMER.LIST.${pings.name}`],
  },
  "probe-runner": runnerAccess("*"),
  metrics: {
    answers: [rpc("metrics"), health("metrics")],
    reads: [events.name, bucketStream(buckets.timelines), bucketStream(buckets.agents)],
    // Without this bucket nothing is in maintenance.
    awaits: [bucketStream(buckets.maintenance)],
    pulls: [results.name, samples.name, pings.name],
    publishes: [dead(results), dead(samples), dead(pings)],
  },
  notifier: {
    answers: [rpc("notifications"), rpc("on-call"), rpc("reports"), incidents("drills"), health("notifier")],
    asksOnly: {
      // To catch up after a disconnect, and for incident timelines.
      "agent-ingest": [...incidentCalls, ...tapCalls, ...reportCalls, "listAgents", `${healthService}/check`],
      monitors: [
        ...incidentCalls,
        ...tapCalls,
        ...reportCalls,
        "listMonitors",
        "listLocations",
        "listSharedCauses",
        "summary",
        // What other settings would have changed.
        "replayIncidents",
        `${healthService}/check`,
      ],
      // Names and addresses of users on call, edits before incidents; the others: health of all services (self-watch).
      auth: ["people", "audit/listEdits", `${healthService}/check`],
      gateway: [`${healthService}/check`],
      metrics: ["listChecks", "incidentEvidence", "countSlots", "agentDays", `${healthService}/check`],
      "probe-runner": [`${healthService}/check`],
      // `composeMail` returns the text of a mail about to be sent. The lists are for handoff messages, the page for reports.
      "status-page": ["composeMail", "listMaintenance", "listSilences", "getPage", `${healthService}/check`],
    },
    makes: [events.name, audit.name, bucketStream(buckets.thresholds)],
    reads: [events.name, bucketStream(buckets.thresholds)],
    awaits: [bucketStream(buckets.maintenance)],
    publishes: [subjects.event("delivery", "*"), subjects.audit("notifier")],
  },
  "status-page": {
    answers: [rpc("status"), health("status-page")],
    asksOnly: {
      monitors: ["listMonitors", `${incidentsService}/listIncidents`, `${incidentsService}/getIncident`],
      "agent-ingest": ["listAgents", `${incidentsService}/listIncidents`, `${incidentsService}/getIncident`],
      metrics: ["monitorDays", "monitorSparklines", "monitorUptimes", "agentDays"],
      // `sendMail` serves replicas of the previous version during an upgrade (unused since 1.1.0).
      notifier: ["listChannels", "queueMails", "sendMail"],
    },
    makes: [events.name, audit.name, bucketStream(buckets.status), bucketStream(buckets.maintenance)],
    reads: [events.name, bucketStream(buckets.status), bucketStream(buckets.maintenance)],
    publishes: [subjects.audit("status-page")],
  },
};

/** A bus user: a service, or the runners of one location. */
export type BusUser = Exclude<ServiceName, "probe-runner"> | `probe-runner-${string}`;
export const runnerUser = (location: string) => `probe-runner-${location}` as const;

/** All bus users except the administrator, with the runners of these locations. */
export const busUsers = (locations: readonly string[]): BusUser[] =>
  serviceNames.flatMap((name): BusUser[] => (name === "probe-runner" ? locations.map(runnerUser) : [name]));

/** Prefix of the inbox for responses; no other user may subscribe to it. */
export const inboxPrefix = (user: string) => `_INBOX.${user}`;

/** Streams and buckets a service requires: those it creates, reads, pulls from or publishes to. */
export function usesOf(service: ServiceName): string[] {
  const { makes = [], reads = [], readsKeys = {}, pulls = [], publishes = [] } = access[service];
  const written = Object.values(streams).filter((stream) =>
    publishes.some((subject) => stream.subjects.some((pattern) => pattern.split(".")[0] === subject.split(".")[0])),
  );
  const readInPart = Object.keys(readsKeys).map(bucketStream);
  return [...new Set([...makes, ...reads, ...readInPart, ...pulls, ...written.map(({ name }) => name)])];
}

/** Permissions of one user in nats-server's format. */
export type Permissions = {
  publish: { allow: string[]; deny: string[] };
  subscribe: { allow: string[] };
};

/** Returns a user's permissions for the nats-server configuration. */
export function permissionsOf(user: BusUser): Permissions {
  const service = serviceNames.find((name) => name === user);
  if (service !== undefined) return permissions(service, user, access[service]);
  return permissions("probe-runner", user, runnerAccess(user.slice(runnerUser("").length)));
}

/** Permissions of the user `probe-runner`, used by runners of the previous version (unused since 0.2.0). */
export const previousRunnerPermissions = (): Permissions =>
  permissions("probe-runner", "probe-runner", previousRunnerAccess);

/**
 * Includes the JetStream API, which is also addressed by subjects:
 * https://docs.nats.io/reference/reference-protocols/nats_api_reference
 */
function permissions(service: ServiceName, user: string, own: Access): Permissions {
  const {
    answers = [],
    asks = [],
    asksOnly = {},
    makes = [],
    reads: needed = [],
    readsKeys = {},
    awaits = [],
    pulls = [],
    publishes = [],
    subscribes = [],
    api = [],
  } = own;
  const reads = [...needed, ...awaits];
  const calls = asks.flatMap((asked) =>
    (access[asked].answers ?? []).filter(({ service }) => service !== healthService).map(({ subject }) => subject),
  );
  for (const [asked, methods] of Object.entries(asksOnly)) {
    const { answers: offered = [] } = access[asked as ServiceName];
    for (const given of methods) {
      const [method = "", name = offered[0]?.service] = given.split("/").reverse();
      const found = offered.find(({ service: offeredName }) => offeredName === name);
      if (found !== undefined) calls.push(subjects.rpc(found.service, method, found.scope));
    }
  }
  const askers = serviceNames.filter(
    (name) => access[name].asks?.includes(service) || access[name].asksOnly?.[service] !== undefined,
  );
  const inbox = `${inboxPrefix(user)}.>`;
  const jetstream = [
    "INFO",
    ...[...usesOf(service), ...needed, ...awaits].map((stream) => `STREAM.INFO.${stream}`),
    ...makes.map((stream) => `STREAM.CREATE.${stream}`),
    ...reads.flatMap((stream) => [...consumerCalls(stream, "*"), ...getCalls(stream)]),
    ...Object.entries(readsKeys).flatMap(([bucket, keys]) =>
      consumerCalls(bucketStream(bucket), "*", `$KV.${bucket}.${keys}`),
    ),
    ...pulls.flatMap((stream) => consumerCalls(stream, service)),
    ...api,
  ];
  const others = serviceNames.filter((name) => name !== service);
  const denied = reads.flatMap((stream) =>
    others.filter((name) => access[name].pulls?.includes(stream)).flatMap((name) => consumerCalls(stream, name)),
  );
  return {
    publish: {
      allow: [
        ...calls,
        ...askers.map((asker) => `${inboxPrefix(asker)}.>`),
        ...publishes,
        ...makes.filter((stream) => stream.startsWith("KV_")).map((stream) => `$KV.${stream.slice("KV_".length)}.>`),
        ...new Set(jetstream.map((call) => `$JS.API.${call}`)),
        // Flow control of its consumers, and acknowledgements of pulled messages.
        ...reads.map((stream) => `$JS.FC.${stream}.>`),
        ...pulls.map((stream) => `$JS.ACK.${stream}.${service}.>`),
        inbox,
      ],
      deny: denied.map((call) => `$JS.API.${call}`),
    },
    subscribe: { allow: [inbox, ...answers.map(({ subject }) => subject), ...subscribes] },
  };
}

/**
 * Subjects to create, inspect, pull from and delete a consumer; `*` for any name. With `filter`, it may only be created
 * for these subjects: the server compares the request with its subject.
 */
function consumerCalls(stream: string, consumer: string, filter?: string): string[] {
  const create = `CONSUMER.CREATE.${stream}.${consumer}`;
  return [
    ...(filter === undefined ? [create, `${create}.>`] : [`${create}.${filter}`]),
    `CONSUMER.INFO.${stream}.${consumer}`,
    `CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    `CONSUMER.DELETE.${stream}.${consumer}`,
  ];
}

function getCalls(stream: string): string[] {
  return [`STREAM.MSG.GET.${stream}`, `DIRECT.GET.${stream}`, `DIRECT.GET.${stream}.>`];
}
