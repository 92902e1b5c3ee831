import type { Client } from "@sonde/kit/bus/rpc";
import { oneOf } from "@sonde/kit/one-of";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { agentsContract, KnownAgent } from "@sonde/proto/rpc/agents";
import { agentStatuses } from "@sonde/proto/http/agents/agents";
import { type KnownMonitor, monitorStatuses } from "@sonde/proto/http/monitors/monitors";

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

const mostAtOnce = 200;

/** The present state of these monitors; missing ones are left out. @throws AppError `unavailable` */
export async function askMonitors({ monitors }: TargetSources, ids: readonly number[], timeoutMs?: number) {
  const found = await askAll(ids, async (some) => {
    const request = { ids: some, page: 1, pageSize: mostAtOnce, compact: true };
    const { monitors: entries, restIds } = await monitors.listMonitors(request, { timeoutMs });
    return { entries, restIds };
  });
  return new Map(found.map((monitor) => [monitor.id, readMonitor(monitor)]));
}

/** The present state of these agents; missing ones are left out. @throws AppError `unavailable` */
export async function askAgents({ agents }: TargetSources, ids: readonly number[], timeoutMs?: number) {
  const found = await askAll(ids, async (some) => {
    const request = { ids: some, page: 1, pageSize: mostAtOnce };
    const { agents: entries, restIds } = await agents.listAgents(request, { timeoutMs });
    return { entries, restIds };
  });
  return new Map(found.map((agent) => [agent.id, readAgent(agent)]));
}

/** The existing ones of the requested targets. */
export type ExistingTargets = { has(target: TargetRef): boolean };

/** @throws AppError `unavailable` */
export async function askExisting(
  sources: TargetSources,
  targets: readonly TargetRef[],
  timeoutMs?: number,
): Promise<ExistingTargets> {
  const idsOf = (wanted: TargetType) => [...new Set(targets.flatMap(({ type, id }) => (type === wanted ? [id] : [])))];
  const [monitors, agents] = await Promise.all([
    askMonitors(sources, idsOf("monitor"), timeoutMs),
    askAgents(sources, idsOf("agent"), timeoutMs),
  ]);
  return { has: ({ type, id }) => (type === "monitor" ? monitors : agents).has(id) };
}

/** The fault of a field that names a missing target; `path`: `monitors.0`. */
export const missingFault = ({ type, id, path }: TargetRef & { path: string }): FieldFault => ({
  path,
  message: type === "monitor" ? "There is no monitor with ID {id}" : "There is no agent with ID {id}",
  params: { id },
});

async function askAll<Entry>(
  ids: readonly number[],
  ask: (ids: number[]) => Promise<{ entries: Entry[]; restIds: number[] }>,
): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let from = 0; from < ids.length; from += mostAtOnce) {
    for (let rest = ids.slice(from, from + mostAtOnce); rest.length > 0;) {
      const { entries, restIds } = await ask(rest);
      found.push(...entries);
      if (restIds.length >= rest.length) throw new Error("an answer brought nothing of what was asked for");
      rest = restIds;
    }
  }
  return found;
}

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
