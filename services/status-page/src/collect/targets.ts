import type { Client } from "@sonde/kit/bus/rpc";
import { oneOf } from "@sonde/kit/one-of";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { agentsContract, KnownAgent } from "@sonde/proto/rpc/agents";
import { agentStatuses } from "@sonde/proto/http/agents/agents";
import { type KnownMonitor, monitorStatuses } from "@sonde/proto/http/monitors/monitors";
import type { StatusConfig } from "@sonde/proto/http/status/config";

export const readMonitorStatus = oneOf(monitorStatuses, "monitor status");
export const readAgentStatus = oneOf(agentStatuses, "agent status");

/** The page's facts of a monitor. Instants are epoch milliseconds. */
export type MonitorFacts = {
  name: string;
  status: ReturnType<typeof readMonitorStatus>;
  sinceMs: number;
  /** No check came for three slots, since about then; null: checks arrive. */
  staleSinceMs: number | null;
  responseTimeMs: number | null;
};

/** The page's facts of an agent. */
export type AgentFacts = {
  name: string;
  status: ReturnType<typeof readAgentStatus>;
  sinceMs: number;
  intervalMs: number;
  createdAtMs: number;
};

/** The services that know the existing targets. */
type TargetSources = {
  monitors: Pick<Client<typeof monitorsContract>, "listMonitors">;
  agents: Pick<Client<typeof agentsContract>, "listAgents">;
};

const maxAtOnce = 200;

/** The present state of these monitors; missing ones are left out. @throws AppError `unavailable` */
export const askMonitors = ({ monitors }: TargetSources, ids: readonly number[], timeoutMs?: number) =>
  askAll(ids, async (some) => {
    const request = { ids: some, page: 1, pageSize: maxAtOnce, compact: true };
    const answer = await monitors.listMonitors(request, { timeoutMs });
    return { found: answer.monitors.map((monitor) => [monitor.id, readMonitor(monitor)] as const), ...answer };
  });

/** The present state of these agents; missing ones are left out. @throws AppError `unavailable` */
export const askAgents = ({ agents }: TargetSources, ids: readonly number[], timeoutMs?: number) =>
  askAll(ids, async (some) => {
    const answer = await agents.listAgents({ ids: some, page: 1, pageSize: maxAtOnce }, { timeoutMs });
    return { found: answer.agents.map((agent) => [agent.id, readAgent(agent)] as const), ...answer };
  });

async function askAll<Facts>(
  ids: readonly number[],
  ask: (ids: number[]) => Promise<{ found: (readonly [number, Facts])[]; restIds: number[] }>,
): Promise<Map<number, Facts>> {
  const all = new Map<number, Facts>();
  for (let from = 0; from < ids.length; from += maxAtOnce) {
    for (let rest = ids.slice(from, from + maxAtOnce); rest.length > 0;) {
      const { found, restIds } = await ask(rest);
      for (const [id, facts] of found) all.set(id, facts);
      if (restIds.length >= rest.length) throw new Error("an answer brought nothing of what was asked for");
      rest = restIds;
    }
  }
  return all;
}

/** The existing ones of the requested targets. */
export type ExistingTargets = { has(target: TargetRef): boolean };

/** @throws AppError `unavailable` */
export async function askExisting(
  sources: TargetSources,
  targets: readonly TargetRef[],
  timeoutMs?: number,
): Promise<ExistingTargets> {
  const [monitors, agents] = await Promise.all([
    askMonitors(sources, [...new Set(idsOf(targets, "monitor"))], timeoutMs),
    askAgents(sources, [...new Set(idsOf(targets, "agent"))], timeoutMs),
  ]);
  return { has: ({ type, id }) => (type === "monitor" ? monitors : agents).has(id) };
}

type NamedTargets = Partial<Pick<StatusConfig, "monitors" | "agents" | "names">>;

/**
 * The faults of fields that name missing targets, with their paths (`monitors.0`). Targets that were named before may have
 * been deleted since.
 */
export function missingFaults(
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

/** The fault of a field that names a missing target. */
export const missingTarget = (type: TargetType, id: number): Omit<FieldFault, "path"> => ({
  message: type === "monitor" ? "There is no monitor with ID {id}" : "There is no agent with ID {id}",
  params: { id },
});

const readMonitor = ({
  name,
  status,
  statusSince,
  stale,
  lastCheckedAt,
  responseTime,
}: KnownMonitor): MonitorFacts => ({
  name,
  status,
  sinceMs: Date.parse(statusSince),
  staleSinceMs: stale ? Date.parse(lastCheckedAt ?? statusSince) : null,
  responseTimeMs: responseTime,
});

const readAgent = ({ name, status, statusSince, interval, createdAt }: KnownAgent): AgentFacts => ({
  name,
  status,
  sinceMs: Date.parse(statusSince),
  intervalMs: interval * 1000,
  createdAtMs: Date.parse(createdAt),
});

/** The page's names of its targets. */
export type DisplayNames = {
  /** Null: the page does not show it, or it is not there. */
  of(type: TargetType, id: number): string | null;
};

/** The configured targets of the page, in order; some may have been deleted since. */
export const shownTargets = ({ monitors, agents }: StatusConfig): TargetRef[] => targetsOf(monitors, agents);

export const targetsOf = (monitorIds: readonly number[], agentIds: readonly number[]): TargetRef[] => [
  ...monitorIds.map((id) => ({ type: "monitor" as const, id })),
  ...agentIds.map((id) => ({ type: "agent" as const, id })),
];
/** The ids of those of one type. */
export const idsOf = (targets: readonly TargetRef[], wanted: TargetType): number[] =>
  targets.flatMap(({ type, id }) => (type === wanted ? [id] : []));

/** Names by which the page shows its targets: those of the configuration, else their own; null: it is not known. */
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

/** Those that the page shows, under its names. */
export const named = (targets: readonly TargetRef[], names: DisplayNames): NamedTarget[] =>
  targets.flatMap(({ type, id }) => {
    const name = names.of(type, id);
    return name === null ? [] : [{ type, id, name }];
  });

export type NamedTarget = TargetRef & { name: string };

export const keyOf = ({ type, id }: TargetRef): string => `${type}:${id}`;
