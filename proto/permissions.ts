import type { IncidentProducer } from "./http/incidents/incidents.ts";
import { type ServiceName, serviceNames } from "./services.ts";
import { buckets, definitionsOf, streams } from "./streams.ts";
import { heartbeatLocation, ownerGroup, runnerGroup, subjects } from "./subjects.ts";

/** What one service may do on the bus. A stream is named as JetStream knows it, a bucket's is `KV_<bucket>`. */
type Access = {
  /** Its RPC services, its own first, each with the subject of all its methods. */
  answers?: readonly Answering[];
  /** The services whose methods it calls, but for their health. */
  asks?: readonly ServiceName[];
  /** The same, but only these methods: of its first RPC service, or as `<service>/<method>` of another. */
  asksOnly?: Readonly<Partial<Record<ServiceName, readonly string[]>>>;
  /** Streams and buckets that it makes where they are missing; the buckets it alone writes. */
  makes?: readonly string[];
  /** Streams and buckets that it reads. */
  reads?: readonly string[];
  /** Of these buckets it reads these keys alone. */
  readsKeys?: Readonly<Record<string, string>>;
  /** Buckets of others that it reads as soon as they are there: it starts and works without them. */
  awaits?: readonly string[];
  /** Streams that it pulls from through the durable consumer with its own name. */
  pulls?: readonly string[];
  /** Subjects that it publishes, beside its calls and answers. */
  publishes?: readonly string[];
  /** Subjects that it subscribes to, beside its methods and the answers to its calls. */
  subscribes?: readonly string[];
  /** Further calls of the JetStream API. */
  api?: readonly string[];
};

/** An RPC service; `scope` distinguishes several that answer the same one. */
type Answering = { service: string; scope?: string; subject: string };

const bucketStream = (bucket: string) => `KV_${bucket}`;
const rpc = (service: string, scope?: string) => ({ service, scope, subject: subjects.rpc(service, "*", scope) });
const incidentsService = "incidents";
/** Incidents that a service opens: their readers know it under a name. */
const incidents = (producer: IncidentProducer) => rpc(incidentsService, producer);
const incidentCalls = [`${incidentsService}/listEvents`, `${incidentsService}/getIncident`];
const healthService = "health";
/** Whether it is ready: the skeleton of every service answers that. */
const health = (service: ServiceName) => rpc(healthService, service);
const { results, samples, pings, events, audit, deadLetters } = streams;
const dead = (stream: { name: string }) => subjects.deadLetter(stream.name);

/** What runners may do: those of one location read its definitions and publish its results alone. `*` for any. */
const runnerAccess = (location: string): Access => ({
  // A location is the last word of the subject.
  answers: [rpc("probes", location), health("probe-runner")],
  readsKeys: { [buckets.definitions]: definitionsOf(location) },
  publishes: [`results.*.${location}`, subjects.heartbeats(runnerGroup(location))],
  subscribes: [subjects.heartbeats(runnerGroup(location))],
});

/**
 * Runners of the version before, of any location, which may run on while an installation is upgraded (unused since 0.2.0).
 */
const previousRunnerAccess: Access = {
  answers: [rpc("sonde.probes.v1.ProbesService", "*"), health("probe-runner")],
  reads: [bucketStream(buckets.monitors)],
  publishes: ["results.*", subjects.heartbeats(runnerGroup("*"))],
  subscribes: [subjects.heartbeats(runnerGroup("*"))],
};

/**
 * The one table of who may do what on the bus: each service has a user of its name, runners one for each location. What is
 * not in here the server refuses.
 */
export const access: Readonly<Record<ServiceName, Access>> = {
  auth: {
    answers: [rpc("auth"), rpc("factors"), rpc("keys"), rpc("audit"), rpc("sign-in"), health("auth")],
    // Mails the owner of an account that was linked to a provider.
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
    ],
    reads: [
      results.name,
      pings.name,
      bucketStream(buckets.pings),
      bucketStream(buckets.definitions),
      bucketStream(buckets.monitors),
      bucketStream(buckets.timelines),
    ],
    publishes: [
      subjects.event("monitor", "*"),
      subjects.event("incident", "*"),
      subjects.audit("monitors"),
      dead(results),
      dead(pings),
      // What is due of heartbeats, which no runner checks.
      subjects.results("*", heartbeatLocation),
      subjects.liveMonitors,
      subjects.heartbeats(ownerGroup("monitors")),
      subjects.heartbeats(ownerGroup("heartbeats")),
    ],
    subscribes: [
      subjects.liveMonitors,
      subjects.heartbeats(ownerGroup("monitors")),
      subjects.heartbeats(ownerGroup("heartbeats")),
      subjects.allRunnerHeartbeats,
    ],
    // The client names a consumer with two filters in the request alone. The server takes none of a durable there.
    api: [`CONSUMER.CREATE.${results.name}`],
  },
  "agent-ingest": {
    answers: [rpc("agents"), incidents("agents"), health("agent-ingest")],
    // Whether the creator of a token is still there.
    asksOnly: { auth: ["getUser"] },
    makes: [samples.name, events.name, audit.name, deadLetters.name, bucketStream(buckets.agents)],
    reads: [samples.name, bucketStream(buckets.agents)],
    // Until the notifier made them the default thresholds hold.
    awaits: [bucketStream(buckets.thresholds)],
    publishes: [
      subjects.allSamples,
      subjects.event("agent", "*"),
      subjects.event("incident", "*"),
      subjects.audit("agent-ingest"),
      dead(samples),
      subjects.liveAgents,
      subjects.heartbeats(ownerGroup("agent-ingest")),
      // That its own listener refuses reports.
      subjects.gatewayHeartbeat,
    ],
    subscribes: [subjects.heartbeats(ownerGroup("agent-ingest")), subjects.gatewayHeartbeat],
    // How much of SAMPLES its slowest reader has yet to read.
    api: [`CONSUMER.LIST.${samples.name}`],
  },
  gateway: {
    answers: [health("gateway")],
    asks: ["auth", "monitors", "agent-ingest", "metrics", "notifier", "status-page"],
    reads: [events.name, bucketStream(buckets.sessions)],
    // Until status-page made them there is no public page, and nothing is in maintenance.
    awaits: [bucketStream(buckets.status), bucketStream(buckets.maintenance), bucketStream(buckets.pings)],
    publishes: [subjects.gatewayHeartbeat, subjects.allPings],
    subscribes: [subjects.liveMonitors, subjects.liveAgents, subjects.authHeartbeat],
    // How much of PINGS its slowest reader has yet to read.
    api: [`CONSUMER.LIST.${pings.name}`],
  },
  "probe-runner": runnerAccess("*"),
  metrics: {
    answers: [rpc("metrics"), health("metrics")],
    reads: [events.name, bucketStream(buckets.timelines), bucketStream(buckets.agents)],
    // Until status-page made it nothing is in maintenance.
    awaits: [bucketStream(buckets.maintenance)],
    pulls: [results.name, samples.name, pings.name],
    publishes: [dead(results), dead(samples), dead(pings)],
  },
  notifier: {
    answers: [rpc("notifications"), health("notifier")],
    asksOnly: {
      // For what it missed while the bus was disconnected, and for an incident's story.
      "agent-ingest": [...incidentCalls, `${healthService}/check`],
      monitors: [...incidentCalls, "listLocations", "summary", `${healthService}/check`],
      // Whether all of Sonde works (self-watch).
      auth: [`${healthService}/check`],
      gateway: [`${healthService}/check`],
      metrics: ["listChecks", "incidentEvidence", `${healthService}/check`],
      "probe-runner": [`${healthService}/check`],
      // And the text of a mail that is about to be sent.
      "status-page": ["composeMail", `${healthService}/check`],
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
      metrics: ["monitorDays", "monitorSparklines", "agentDays"],
      // `sendMail`: replicas of the version before, during an upgrade (unused since 1.1.0).
      notifier: ["listChannels", "queueMails", "sendMail"],
    },
    makes: [events.name, audit.name, bucketStream(buckets.status), bucketStream(buckets.maintenance)],
    reads: [events.name, bucketStream(buckets.status), bucketStream(buckets.maintenance)],
    publishes: [subjects.audit("status-page")],
  },
};

/** A user of the bus: a service, or the runners of one location. */
export type BusUser = Exclude<ServiceName, "probe-runner"> | `probe-runner-${string}`;
export const runnerUser = (location: string) => `probe-runner-${location}` as const;

/** All users but the administrator, with the runners of these locations. */
export const busUsers = (locations: readonly string[]): BusUser[] =>
  serviceNames.flatMap((name): BusUser[] => (name === "probe-runner" ? locations.map(runnerUser) : [name]));

/** Where the answers to a user's calls arrive; no other user may subscribe there. */
export const inboxPrefix = (user: string) => `_INBOX.${user}`;

/** The streams and buckets that a service cannot do without: those that it makes, reads, pulls from or publishes to. */
export function usesOf(service: ServiceName): string[] {
  const { makes = [], reads = [], readsKeys = {}, pulls = [], publishes = [] } = access[service];
  const written = Object.values(streams).filter((stream) =>
    publishes.some((subject) => stream.subjects.some((pattern) => pattern.split(".")[0] === subject.split(".")[0])),
  );
  const readInPart = Object.keys(readsKeys).map(bucketStream);
  return [...new Set([...makes, ...reads, ...readInPart, ...pulls, ...written.map(({ name }) => name)])];
}

/** Permissions as nats-server takes them for one user. */
export type Permissions = {
  publish: { allow: string[]; deny: string[] };
  subscribe: { allow: string[] };
};

/** A user as nats-server's configuration has it. */
export function permissionsOf(user: BusUser): Permissions {
  const service = serviceNames.find((name) => name === user);
  if (service !== undefined) return permissions(service, user, access[service]);
  return permissions("probe-runner", user, runnerAccess(user.slice(runnerUser("").length)));
}

/** Of the user `probe-runner`, by which runners of the version before connect (unused since 0.2.0). */
export const previousRunnerPermissions = (): Permissions =>
  permissions("probe-runner", "probe-runner", previousRunnerAccess);

/**
 * JetStream is used through subjects too, so that these are all:
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
        // Flow control of the consumers that it reads through, and what it pulled and is done with.
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
 * Creating, asking about, pulling from and deleting a consumer of a stream; `*` for any name. With `filter` it may be created
 * for these subjects alone: the server compares the request with the subject that it came by.
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

/** Reading single messages. */
function getCalls(stream: string): string[] {
  return [`STREAM.MSG.GET.${stream}`, `DIRECT.GET.${stream}`, `DIRECT.GET.${stream}.>`];
}
