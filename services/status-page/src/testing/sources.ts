import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { unavailable } from "@sonde/kit/errors";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { type Incident, IncidentSchema } from "@sonde/proto/gen/events/v1/events";
import type { TargetDays } from "@sonde/proto/rpc/metrics";
import type { KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import type { PageSources } from "../context.ts";

/** Services that respond from memory, or are unavailable. */
export type FakeSources = {
  sources: PageSources;
  monitors: Map<number, KnownMonitor>;
  agents: Map<number, KnownAgent>;
  incidents: Incident[];
  channels: { id: number; type: string }[];
  unavailableServices: Set<"monitors" | "agents" | "metrics" | "incidents">;
  callCounts: Record<string, number>;
  failedCalls: Record<string, number>;
  addMonitor(monitor: Pick<KnownMonitor, "id"> & Partial<KnownMonitor>): void;
  addAgent(agent: Pick<KnownAgent, "id"> & Partial<KnownAgent>): void;
  addIncident(incident: MessageInitShape<typeof IncidentSchema>): void;
};

const epoch = new Date(0).toISOString();
const newAgent: Omit<KnownAgent, "id"> = {
  name: "",
  hostname: "",
  ipAddresses: [],
  os: "",
  version: "",
  status: "online",
  statusSince: epoch,
  lastSeen: null,
  uptime: null,
  interval: 10,
  dependsOn: [],
  tags: [],
  createdAt: epoch,
  updatedAt: epoch,
};

const newMonitor = {
  name: "",
  status: "up",
  statusSince: epoch,
  stale: false,
  lastCheckedAt: null,
  responseTime: null,
  groupUptime: { h24: null, d30: null, d90: null },
};

/** Half of each day was seen, and half of that was up. */
const daysOf = (targetId: number, dayCount: number): TargetDays => {
  const each = (value: number) => Array.from({ length: dayCount }, () => value);
  return {
    targetId,
    expected: each(100),
    seen: each(50),
    up: each(25),
    monitoredMinutes: each(1440),
    maintenanceMinutes: each(0),
    pausedMinutes: each(0),
  };
};

export function fakeSources(): FakeSources {
  const fake: Omit<FakeSources, "sources" | "addMonitor" | "addAgent" | "addIncident"> = {
    monitors: new Map(),
    agents: new Map(),
    incidents: [],
    channels: [],
    unavailableServices: new Set(),
    callCounts: {},
    failedCalls: {},
  };
  const answer = <Answer>(
    service: "monitors" | "agents" | "metrics" | "incidents",
    method: string,
    made: () => Answer,
  ) => {
    const counts = fake.unavailableServices.has(service) ? fake.failedCalls : fake.callCounts;
    counts[method] = (counts[method] ?? 0) + 1;
    if (fake.unavailableServices.has(service)) throw unavailable(service);
    return made();
  };
  const some = <Entry>(entries: ReadonlyMap<number, Entry>, ids: readonly number[] = []) =>
    ids.flatMap((id) => entries.get(id) ?? []);
  const calls = {
    monitors: {
      listMonitors: async ({ ids }: { ids?: number[] }) =>
        answer("monitors", "listMonitors", () => ({
          monitors: some(fake.monitors, ids),
          total: fake.monitors.size,
          restIds: [],
        })),
    },
    agents: {
      listAgents: async ({ ids }: { ids?: number[] }) =>
        answer("agents", "listAgents", () => ({
          agents: some(fake.agents, ids),
          total: fake.agents.size,
          restIds: [],
        })),
    },
    incidents: {
      listIncidents: async (
        { filter }: { filter?: { kind?: string; targetIds?: number[] } },
        { scope }: { scope?: string } = {},
      ) =>
        answer("incidents", "listIncidents", () => {
          const prefix = scope === "agents" ? "a" : "m";
          const listed = fake.incidents.filter(
            ({ id, kind, targetId }) =>
              id.startsWith(prefix) &&
              (!filter?.kind || kind === filter.kind) &&
              (!filter?.targetIds?.length || filter.targetIds.includes(targetId)),
          );
          const incidents = listed.map(
            ({ targetType: type, targetId, targetName, openedAtMs, closedAtMs, ...incident }, rank) => ({
              incident: {
                ...incident,
                target: { type, id: targetId, name: targetName },
                openedAt: new Date(openedAtMs).toISOString(),
                closedAt: closedAtMs === undefined ? undefined : new Date(closedAtMs).toISOString(),
              },
              rank,
            }),
          );
          return { incidents, total: listed.length, last: "" };
        }),
      getIncident: async () => Promise.reject(unavailable("incidents")),
    },
    metrics: {
      monitorDays: async ({ monitorIds = [], dayCount = 0 }: { monitorIds?: number[]; dayCount?: number }) =>
        answer("metrics", "monitorDays", () => ({ monitors: monitorIds.map((id) => daysOf(id, dayCount)) })),
      agentDays: async ({ agents = [], dayCount = 0 }: { agents?: { agentId?: number }[]; dayCount?: number }) =>
        answer("metrics", "agentDays", () => ({ agents: agents.map(({ agentId = 0 }) => daysOf(agentId, dayCount)) })),
      monitorSparklines: async ({ monitorIds = [] }: { monitorIds?: number[] }) =>
        answer("metrics", "monitorSparklines", () => {
          const avgMs = Array.from({ length: 24 }, (_, hour) => (hour === 0 ? -1 : 12.34));
          return { firstHourMs: 0, monitors: monitorIds.map((monitorId) => ({ monitorId, avgMs })) };
        }),
      monitorUptimes: async ({ monitorIds = [] }: { monitorIds?: number[] }) =>
        answer("metrics", "monitorUptimes", () => ({
          uptimes: monitorIds.map((monitorId) => ({ monitorId, h24: 99.99999, d30: 99.5 })),
        })),
    },
    notifications: {
      listChannels: async () => ({ channels: fake.channels }),
    },
  };
  return {
    ...fake,
    sources: calls as unknown as PageSources,
    addMonitor: (monitor) => void fake.monitors.set(monitor.id, { ...newMonitor, ...monitor } as KnownMonitor),
    addAgent: (agent) => void fake.agents.set(agent.id, { ...newAgent, ...agent }),
    addIncident: (incident) => void fake.incidents.push(create(IncidentSchema, incident)),
  };
}
