import { applyNew, sourceHandlers } from "./fake-apply.ts";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { presentCheck } from "@sonde/domain/check-result";
import { AppError } from "@sonde/kit/errors";
import type { AskOptions, Call, Handlers } from "@sonde/kit/bus/rpc";
import { CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { onCallContract } from "@sonde/proto/rpc/on-call";
import { reportsContract } from "@sonde/proto/rpc/reports";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import type { KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import { monitorsContract, scrapedMonitorsContract } from "@sonde/proto/rpc/monitors";
import { signInContract } from "@sonde/proto/rpc/sign-in";
import { statusContract } from "@sonde/proto/rpc/status";
import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import { type Incident, type IncidentProducer, incidentProducers } from "@sonde/proto/http/incidents/incidents";
import type { Contract } from "@sonde/proto/rpc/contract";
import { agentsContract } from "@sonde/proto/rpc/agents";
import { authContract } from "@sonde/proto/rpc/auth";
import { auditContract } from "@sonde/proto/rpc/audit";
import { factorsContract } from "@sonde/proto/rpc/factors";
import { invitesContract } from "@sonde/proto/rpc/invites";
import { keysContract } from "@sonde/proto/rpc/keys";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import type { Services } from "../services.ts";
import { agentHandlers, fakeAgentMetrics } from "./fake-agents.ts";
import { drillHandlers } from "./fake-drills.ts";
import { reportHandlers } from "./fake-reports.ts";
import { onCallHandlers } from "./fake-on-call.ts";
import { policyHandlers } from "./fake-policies.ts";
import { fakeEvidence, notifierHandlers } from "./fake-notifier.ts";
import { authHandlers, factorHandlers, inviteHandlers } from "./fake-auth.ts";
import { direct } from "./direct.ts";
import { auditHandlers, keyHandlers } from "./fake-keys.ts";
import { signInHandlers } from "./fake-sign-in.ts";
import { sloHandlers } from "./fake-slos.ts";
import { statusPageHandlers } from "./fake-status-page.ts";
import { runnerHandlers } from "./fake-runners.ts";
import { fakeLocation, fakePings, heartbeatHandlers } from "./fake-heartbeats.ts";

export const atMs = Date.UTC(2026, 0, 31, 12);
const at = new Date(atMs).toISOString();

export const fakeCheck: MessageInitShape<typeof CheckResultSchema> = {
  monitorId: 7,
  location: "default",
  slotMs: atMs,
  startedAtMs: atMs + 3,
  status: "down",
  statusCode: 500,
  responseTimeMs: 12.5,
  timings: { dnsMs: 1, connectMs: 2, tlsMs: 0, firstByteMs: 9, totalMs: 12.5 },
  error: { kind: "status", message: "500 is not 200" },
  attempt: 2,
  failures: 2,
  latenessMs: 0.4,
  manual: false,
  version: 1,
  runner: "runner-1",
};

export const fakeMonitor = (id: number): KnownMonitor => {
  if (id !== 7 && id !== 8) throw new AppError("not_found", "Monitor does not exist");
  return {
    id,
    name: `monitor ${id}`,
    interval: 1,
    timeout: 10,
    retries: 1,
    recoverAfter: 1,
    slow: false,
    tags: ["shop"],
    locations: ["default"],
    dependsOn: [],
    note: "",
    keepBody: true,
    invert: false,
    description: "",
    type: "http",
    url: "https://example.com/health",
    method: "GET",
    expectedStatus: 200,
    headers: [{ name: "authorization", value: "••••••" }],
    followRedirects: true,
    verifyTls: true,
    assertions: [{ source: "latency", op: "lessThan", value: 500 }],
    paused: false,
    target: "https://example.com/health",
    status: "up",
    statusSince: at,
    responseTime: 12.5,
    lastCheckedAt: at,
    nextCheckAt: new Date(atMs + 60_000).toISOString(),
    stale: false,
    flapping: false,
    createdAt: at,
    updatedAt: at,
  };
};

export const fakeIncident: Incident = {
  id: "m5",
  target: { type: "monitor", id: 7, name: "monitor 7" },
  kind: "down",
  cause: "500 is not 200",
  openedAt: new Date(atMs).toISOString(),
};

export const fakeCause: SharedCause = {
  fact: "address",
  value: "203.0.113.7",
  sharing: 2,
  failing: 2,
  healthy: 5,
  incidentIds: ["m5", "m6"],
};

type AllHandlers = {
  monitors: Handlers<typeof monitorsContract>;
  metrics: Handlers<typeof metricsContract>;
};

const handlers: AllHandlers = {
  monitors: {
    createMonitor: async () => fakeMonitor(7),
    getMonitor: async ({ id }) => fakeMonitor(id),
    replayIncidents: async ({ fromMs }) => ({
      name: "monitor 7",
      dependsOn: [],
      fromMs,
      now: [],
      others: [],
      secondOpinions: [],
    }),
    listMonitors: async ({ ids = [] }) => {
      const known = [7, 8].filter((id) => ids.length === 0 || ids.includes(id));
      return { monitors: known.map(fakeMonitor), total: known.length, restIds: [] };
    },
    matchMonitors: async () => ({ ids: [7, 8], total: 2 }),
    countMonitors: async () => ({
      counts: { total: 2, active: 2, up: 1, down: 1, stale: 0, pending: 0, paused: 0 },
    }),
    countOpenIncidents: async ({ ids }) => ({ count: ids.length }),
    listTags: async ({ search = "" }) => {
      const tags = [
        { name: "shop", monitors: 2 },
        { name: "eu", monitors: 1 },
      ];
      return { tags: tags.filter(({ name }) => name.includes(search)), more: false };
    },
    updateMonitor: async ({ id }) => fakeMonitor(id),
    deleteMonitor: async ({ id }) => (fakeMonitor(id), {}),
    pauseMonitor: async ({ id }) => ({ ...fakeMonitor(id), status: "paused" }),
    resumeMonitor: async ({ id }) => ({ ...fakeMonitor(id), status: "pending" }),
    bulkMonitors: async ({ ids }) => ({
      done: ids.filter((id) => id === 7),
      failed: ids.filter((id) => id !== 7).map((id) => ({ id, message: "Monitor does not exist" })),
    }),
    applyMonitors: (part) => applyNew(part, ({ fields }) => (fields["name"] === "monitor 7" ? 7 : undefined)),
    ...sourceHandlers,
    checkNow: async ({ id }) => ({
      result: presentCheck(create(CheckResultSchema, { ...fakeCheck, manual: true })),
      monitor: fakeMonitor(id),
    }),
    renewPingUrl: async ({ id }) => fakeMonitor(id),
    ...heartbeatHandlers,
    ...sloHandlers,
    testMonitor: async () => presentCheck(create(CheckResultSchema, { ...fakeCheck, monitorId: 0 })),
    listLocations: async () => ({ locations: [{ name: "default", runners: 2, monitors: 4 }] }),
    ...runnerHandlers,
    listSharedCauses: async () => ({ causes: [fakeCause] }),
    summary: async ({ attention, certificateDays }) => ({
      counts: { total: 5, active: 4, up: 2, down: 1, pending: 1, paused: 1, stale: 0 },
      openIncidents: 1,
      attention: [{ ...fakeMonitor(8), status: "down" as const, lastError: "500 is not 200" }, fakeMonitor(7)].slice(
        0,
        attention,
      ),
      certificates: {
        total: certificateDays > 0 ? 12 : 0,
        soonest:
          certificateDays > 0
            ? [{ monitorId: 7, name: "monitor 7", expiresAt: new Date(atMs + 86_400_000).toISOString() }]
            : [],
      },
    }),
  },
  metrics: {
    monitorDays: async () => ({ monitors: [] }),
    countSlots: async () => ({ monitors: [] }),
    checksAroundFailures: async () => ({ fromMs: 0, locations: [] }),
    monitorSparklines: async () => ({ firstHourMs: atMs, monitors: [] }),
    agentDays: async () => ({ agents: [] }),
    monitorHistory: async () => ({
      step: 300,
      buckets: [
        {
          start: at,
          checks: 3,
          up: 2,
          availability: 66.667,
          coverage: 60,
          avg: 10,
          p50: 9,
          p95: 20,
          max: 21,
          lastCheckedAt: at,
          timings: { dns: 1.3, connect: 2, firstByte: 4, total: 10 },
        },
        {
          start: new Date(atMs + 300_000).toISOString(),
          checks: 0,
          up: 0,
          availability: null,
          coverage: null,
          avg: null,
          p50: null,
          p95: null,
          max: null,
          lastCheckedAt: null,
          inMaintenance: true,
        },
      ],
      summary: {
        from: at,
        until: new Date(atMs + 600_000).toISOString(),
        checks: 3,
        failures: 1,
        uptime: 66.667,
        coverage: 60,
        avg: 10,
        p50: 9,
        p95: null,
      },
      previous: null,
      changes: [{ at, kinds: ["paused"] }],
    }),
    locationHistories: async () => ({ from: at, step: 300, locations: [fakeLocation] }),
    listChecks: async () => ({
      checks: [
        presentCheck(create(CheckResultSchema, fakeCheck)),
        presentCheck(create(CheckResultSchema, { ...fakeCheck, slotMs: atMs - 60_000, inMaintenance: true })),
      ],
    }),
    listPings: fakePings,
    incidentEvidence: async () => ({ evidence: fakeEvidence }),
    monitorRecentChecks: async ({ monitorIds }) => ({
      monitors: monitorIds.map((monitorId) => ({
        monitorId,
        recentChecks: [
          { at: new Date(atMs - 60_000).toISOString(), status: "none", inMaintenance: true },
          { at, status: "up", responseTime: 12.5 },
        ],
      })),
    }),
    monitorPhases: async ({ monitorIds: [monitorId = 7] }) => ({ monitors: [{ monitorId, dnsMs: 1, totalMs: 12.5 }] }),
    monitorResponseTimes: async ({ monitorIds }) => ({
      monitors: monitorIds.filter((id) => id === 7).map((monitorId) => ({ monitorId, p95Ms: 80.25 })),
    }),
    agentMetrics: async () => fakeAgentMetrics,
    orderByUptime: async ({ monitorIds }) => ({ monitorIds }),
    monitorTrends: async ({ monitorIds }) => ({
      trends: monitorIds
        .filter((id) => id === 7)
        .map((monitorId) => ({ monitorId, lastMs: 900, usualMs: 320, slower: true })),
    }),
    slowerMonitors: async () => ({ monitorIds: [7] }),
    orderByTrend: async ({ monitorIds }) => ({ monitorIds }),
    monitorUptimes: async ({ monitorIds }) => ({
      uptimes: monitorIds.length === 0 ? [{ monitorId: 0, h24: 99.5, d30: 98 }] : [{ monitorId: 7, h24: 99.9 }],
    }),
  },
};

function findIncident(incidents: readonly Incident[], id: string) {
  const found = incidents.find((incident) => incident.id === id);
  if (found === undefined) throw new AppError("not_found", "Incident does not exist");
  return found;
}

const incidentsOf = (incidents: Incident[]): Handlers<typeof incidentsContract> => ({
  listIncidents: async ({ after }) => ({
    incidents: after === "" ? incidents.map((incident) => ({ incident, rank: -atMs })) : [],
    total: incidents.length,
  }),
  listIncidentMarks: async () => ({ marks: [], total: incidents.length }),
  getIncident: async ({ id }) => ({ incident: findIncident(incidents, id) }),
  acknowledgeIncident: async ({ id, note, by }, { actor }) => ({
    incident: {
      ...findIncident(incidents, id),
      acknowledgedAt: new Date(atMs + 60_000).toISOString(),
      acknowledgedBy: by ?? actor?.username ?? "",
      note: note || undefined,
    },
  }),
  unacknowledgeIncident: async ({ id }) => ({ incident: findIncident(incidents, id) }),
  snoozeIncident: async ({ id, minutes = 0, until, by }, { actor }) => ({
    incident: {
      ...findIncident(incidents, id),
      snoozedUntil: until ?? new Date(atMs + minutes * 60_000).toISOString(),
      snoozedBy: by ?? actor?.username ?? "",
    },
  }),
  endSnooze: async ({ id }) => ({ incident: findIncident(incidents, id) }),
  listDependencies: async () => ({ dependencies: [], more: false }),
  listEvents: async () => ({ events: [], more: false }),
});
const incidents = { monitors: incidentsOf([fakeIncident]), agents: incidentsOf([]) };

type FakeCall = {
  method: string;
  request: unknown;
  call: Pick<Call, "requestId" | "actor" | "idempotency" | "timeoutMs">;
};
export type Fakes = ReturnType<typeof createFakes>;

/**
 * Services with two monitors, three accounts, one agent and one channel. `calls` records every request; `refuse` makes
 * a method fail, or return a promise's result. Methods of incident producers are named like `monitors.listIncidents`.
 */
export function createFakes() {
  const calls: FakeCall[] = [];
  const refusals = new Map<string, () => Promise<never>>();
  const watched = <S extends Contract>(inner: Handlers<S>, prefix = ""): Handlers<S> =>
    Object.fromEntries(
      Object.entries(inner).map(([method, handle]) => [
        method,
        async (request: unknown, call: Call) => {
          calls.push({ method: prefix + method, request, call });
          await refusals.get(prefix + method)?.();
          return (handle as (request: unknown, call: Call) => Promise<unknown>)(request, call);
        },
      ]),
    ) as Handlers<S>;
  return {
    calls,
    refuse: (method: string, answer: AppError | (() => Promise<never>)) =>
      refusals.set(method, typeof answer === "function" ? answer : () => Promise.reject(answer)),
    heal: () => refusals.clear(),
    handlers: {
      auth: watched<typeof authContract>(authHandlers),
      factors: watched<typeof factorsContract>(factorHandlers),
      invites: watched<typeof invitesContract>(inviteHandlers),
      keys: watched<typeof keysContract>(keyHandlers),
      audit: watched<typeof auditContract>(auditHandlers),
      signIn: watched<typeof signInContract>(signInHandlers),
      monitors: watched<typeof monitorsContract>(handlers.monitors),
      metrics: watched<typeof metricsContract>(handlers.metrics),
      agents: watched<typeof agentsContract>(agentHandlers),
      incidents: {
        monitors: watched<typeof incidentsContract>(incidents.monitors, "monitors."),
        agents: watched<typeof incidentsContract>(incidents.agents, "agents."),
      },
      notifications: watched<typeof notificationsContract>(notifierHandlers),
      onCall: watched<typeof onCallContract>({ ...onCallHandlers, ...policyHandlers, ...drillHandlers }),
      reports: watched<typeof reportsContract>(reportHandlers),
      statusPage: watched<typeof statusContract>(statusPageHandlers),
    },
  };
}

/** The fakes as clients, without a bus. */
export function directServices({ handlers: all }: Fakes): Services {
  return {
    auth: direct(authContract, all.auth),
    factors: direct(factorsContract, all.factors),
    invites: direct(invitesContract, all.invites),
    keys: direct(keysContract, all.keys),
    audit: direct(auditContract, all.audit),
    signIn: direct(signInContract, all.signIn),
    monitors: direct(monitorsContract, all.monitors),
    scraped: direct(scrapedMonitorsContract, { listMonitors: all.monitors.listMonitors }),
    metrics: direct(metricsContract, all.metrics),
    agents: direct(agentsContract, all.agents),
    incidents: scoped(
      incidentProducers.map((producer) => [producer, direct(incidentsContract, all.incidents[producer])] as const),
    ),
    notifications: direct(notificationsContract, all.notifications),
    onCall: direct(onCallContract, all.onCall),
    reports: direct(reportsContract, all.reports),
    statusPage: direct(statusContract, all.statusPage),
  };
}

/** One client for several scopes: `scope` selects the recipient. */
function scoped(clients: readonly (readonly [IncidentProducer, Services["incidents"]])[]): Services["incidents"] {
  const of = (scope: string | undefined) => {
    const found = clients.find(([name]) => name === scope);
    if (found === undefined) throw new Error(`no service for the scope ${scope}`);
    return found[1];
  };
  const methods = Object.keys(incidentsContract.methods).map((name) => {
    const method = name as keyof Services["incidents"];
    const ask = (request: never, options?: AskOptions) => of(options?.scope)[method](request, options);
    return [method, ask] as const;
  });
  return Object.fromEntries(methods) as unknown as Services["incidents"];
}
