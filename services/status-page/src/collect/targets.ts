import type { Client } from "@sonde/kit/bus/rpc";
import { oneOf } from "@sonde/kit/one-of";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { agentsContract, KnownAgent } from "@sonde/proto/rpc/agents";
import { agentStatuses } from "@sonde/proto/http/agents/agents";
import { isDegraded } from "@sonde/proto/http/monitors/groups";
import { type KnownMonitor, monitorStatuses } from "@sonde/proto/http/monitors/monitors";
import type { StatusConfig } from "@sonde/proto/http/status/config";

export const readMonitorStatus = oneOf(monitorStatuses, "monitor status");
export const readAgentStatus = oneOf(agentStatuses, "agent status");

/** A monitor's facts for the page. Instants are epoch milliseconds. */
export type MonitorFacts = {
  name: string;
  status: ReturnType<typeof readMonitorStatus>;
  sinceMs: number;
  /** Time of the last check if three slots were missed; `null` while checks arrive. */
  staleSinceMs: number | null;
  responseTimeMs: number | null;
  tags?: readonly string[];
  /** Only for groups. */
  members?: { ids: readonly number[]; tag: string | undefined };
  /** Percent of the last 90 days, exact by time. Only for groups with data. */
  groupUptime?: number | null;
  /** Or a group with members down. */
  slow: boolean;
};

/** An agent's facts for the page. Instants are epoch milliseconds. */
export type AgentFacts = {
  name: string;
  status: ReturnType<typeof readAgentStatus>;
  sinceMs: number;
  intervalMs: number;
  createdAtMs: number;
};

type TargetSources = {
  monitors: Pick<Client<typeof monitorsContract>, "listMonitors">;
  agents: Pick<Client<typeof agentsContract>, "listAgents">;
};

const maxAtOnce = 200;

/** Queries the current state of monitors; missing ones are left out. @throws AppError `unavailable` */
export const queryMonitors = ({ monitors }: TargetSources, ids: readonly number[], timeoutMs?: number) =>
  queryAll(ids, async (some) => {
    const request = { ids: some, page: 1, pageSize: maxAtOnce, compact: true };
    const answer = await monitors.listMonitors(request, { timeoutMs });
    return { found: answer.monitors.map((monitor) => [monitor.id, readMonitor(monitor)] as const), ...answer };
  });

/** Queries the current state of agents; missing ones are left out. @throws AppError `unavailable` */
export const queryAgents = ({ agents }: TargetSources, ids: readonly number[], timeoutMs?: number) =>
  queryAll(ids, async (some) => {
    const answer = await agents.listAgents({ ids: some, page: 1, pageSize: maxAtOnce }, { timeoutMs });
    return { found: answer.agents.map((agent) => [agent.id, readAgent(agent)] as const), ...answer };
  });

async function queryAll<Facts>(
  ids: readonly number[],
  ask: (ids: number[]) => Promise<{ found: (readonly [number, Facts])[]; restIds: number[] }>,
): Promise<Map<number, Facts>> {
  const all = new Map<number, Facts>();
  for (let from = 0; from < ids.length; from += maxAtOnce) {
    for (let rest = ids.slice(from, from + maxAtOnce); rest.length > 0;) {
      const { found, restIds } = await ask(rest);
      for (const [id, facts] of found) all.set(id, facts);
      if (restIds.length >= rest.length) throw new Error("response contains none of the requested targets");
      rest = restIds;
    }
  }
  return all;
}

export type ExistingTargets = { has(target: TargetRef): boolean };

/** @throws AppError `unavailable` */
export async function queryExisting(
  sources: TargetSources,
  targets: readonly TargetRef[],
  timeoutMs?: number,
): Promise<ExistingTargets> {
  const [monitors, agents] = await Promise.all([
    queryMonitors(sources, [...new Set(idsOf(targets, "monitor"))], timeoutMs),
    queryAgents(sources, [...new Set(idsOf(targets, "agent"))], timeoutMs),
  ]);
  return { has: ({ type, id }) => (type === "monitor" ? monitors : agents).has(id) };
}

type NamedTargets = Partial<Pick<StatusConfig, "monitors" | "agents" | "names">>;

/** Errors for missing targets, with their paths (`monitors.0`). Those in `before` may have been deleted. */
export function missingTargetErrors(
  { monitors = [], agents = [], names = [] }: NamedTargets,
  existing: ExistingTargets,
  before: readonly TargetRef[],
): FieldFault[] {
  const known = new Set(before.map(keyOf));
  return [
    ...monitors.map((id, at) => ({ type: "monitor" as const, id, path: `monitors.${at}` })),
    ...agents.map((id, at) => ({ type: "agent" as const, id, path: `agents.${at}` })),
    ...names.map(({ type, id }, at) => ({ type, id, path: `names.${at}.id` })),
  ]
    .filter((target) => !existing.has(target) && !known.has(keyOf(target)))
    .map(({ type, id, path }) => ({ ...missingTarget(type, id), path }));
}

export const missingTarget = (type: TargetType, id: number): Omit<FieldFault, "path"> => ({
  message: type === "monitor" ? "There is no monitor with ID {id}" : "There is no agent with ID {id}",
  params: { id },
});

function readMonitor(monitor: KnownMonitor): MonitorFacts {
  const { name, status, statusSince, stale, lastCheckedAt, responseTime, tags } = monitor;
  return {
    name,
    status,
    sinceMs: Date.parse(statusSince),
    staleSinceMs: stale ? Date.parse(lastCheckedAt ?? statusSince) : null,
    responseTimeMs: responseTime,
    tags,
    slow: isDegraded(monitor),
    ...(monitor.type === "group" && {
      members: { ids: monitor.members, tag: monitor.tag },
      groupUptime: monitor.groupUptime.d90,
    }),
  };
}

const readAgent = ({ name, status, statusSince, interval, createdAt }: KnownAgent): AgentFacts => ({
  name,
  status,
  sinceMs: Date.parse(statusSince),
  intervalMs: interval * 1000,
  createdAtMs: Date.parse(createdAt),
});

export type DisplayNames = {
  /** `null` if the page does not show the target or it does not exist. */
  of(type: TargetType, id: number): string | null;
};

/** The page's configured targets in order. Some may have been deleted. */
export const shownTargets = ({ monitors, agents }: StatusConfig): TargetRef[] => targetsOf(monitors, agents);

export const targetsOf = (monitorIds: readonly number[], agentIds: readonly number[]): TargetRef[] => [
  ...monitorIds.map((id) => ({ type: "monitor" as const, id })),
  ...agentIds.map((id) => ({ type: "agent" as const, id })),
];
export const idsOf = (targets: readonly TargetRef[], wanted: TargetType): number[] =>
  targets.flatMap(({ type, id }) => (type === wanted ? [id] : []));

/** Display names of shown targets: from the configuration, else the target's own (`null` if unknown). */
export function displayNames(
  config: StatusConfig,
  ownName: (type: TargetType, id: number) => string | null,
): DisplayNames {
  const shown = new Set(shownTargets(config).map(keyOf));
  const given = new Map(config.names.map((entry) => [keyOf(entry), entry.name]));
  return {
    of(type, id) {
      const key = keyOf({ type, id });
      if (!shown.has(key)) return null;
      const own = ownName(type, id);
      return own === null ? null : (given.get(key) ?? own);
    },
  };
}

export const named = (targets: readonly TargetRef[], names: DisplayNames): NamedTarget[] =>
  targets.flatMap(({ type, id }) => {
    const name = names.of(type, id);
    return name === null ? [] : [{ type, id, name }];
  });

export type NamedTarget = TargetRef & { name: string };

export const keyOf = ({ type, id }: TargetRef): string => `${type}:${id}`;
