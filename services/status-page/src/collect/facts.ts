import type { PublicIncident, PublicMaintenance } from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { Context, PageSources } from "../context.ts";
import { type Earlier, nothingEarlier } from "./earlier.ts";
import { type History, openHistory } from "./history.ts";
import {
  type AgentFacts,
  queryAgents,
  queryMonitors,
  displayNames,
  type DisplayNames,
  idsOf,
  keyOf,
  type MonitorFacts,
  shownTargets,
} from "./targets.ts";

export type Facts = {
  monitors: TargetCache<MonitorFacts>;
  agents: TargetCache<AgentFacts>;
  history: History;
};

export type PageFacts = Facts & {
  earlier: Earlier;
  /** Last composed, used if they cannot be read. */
  incidents: PublicIncident[];
  maintenance: PublicMaintenance[];
};

export const openFacts = (sources: PageSources): Facts => ({
  monitors: openTargetCache((ids) => queryMonitors(sources, ids)),
  agents: openTargetCache((ids) => queryAgents(sources, ids)),
  history: openHistory(sources),
});

export const pageFacts = (facts: Facts, earlier: Earlier = nothingEarlier): PageFacts => ({
  ...facts,
  earlier,
  incidents: earlier.incidents,
  maintenance: earlier.maintenance,
});

/** Queries the state of these targets. @throws AppError `unavailable` if either service is */
export async function queryTargets({ monitors, agents }: Facts, targets: readonly TargetRef[]): Promise<void> {
  const queries = [monitors.query(idsOf(targets, "monitor")), agents.query(idsOf(targets, "agent"))];
  for (const answer of await Promise.allSettled(queries)) if (answer.status === "rejected") throw answer.reason;
}

export const isKnown = ({ monitors, agents }: Pick<Facts, "monitors" | "agents">, { type, id }: TargetRef): boolean =>
  (type === "monitor" ? monitors : agents).get(id) !== undefined;

export const namesIn = (
  { monitors, agents, earlier }: Pick<PageFacts, "monitors" | "agents" | "earlier">,
  config: StatusConfig,
): DisplayNames =>
  displayNames(
    config,
    (type, id) =>
      (type === "monitor" ? monitors : agents).get(id)?.name ?? earlier.names.get(keyOf({ type, id })) ?? null,
  );

/** Adds missing facts of shown targets. @throws AppError `unavailable`, unless `lenient` */
export async function withShownFacts(
  { sources }: Pick<Context, "sources">,
  facts: PageFacts,
  config: StatusConfig,
  { timeoutMs, lenient = false }: { timeoutMs?: number; lenient?: boolean },
): Promise<PageFacts> {
  const unknown = shownTargets(config).filter((target) => !isKnown(facts, target));
  const orEmpty = <Found>(found: Promise<Map<number, Found>>) =>
    lenient ? found.catch(() => new Map<number, Found>()) : found;
  const [monitors, agents] = await Promise.all([
    orEmpty(queryMonitors(sources, idsOf(unknown, "monitor"), timeoutMs)),
    orEmpty(queryAgents(sources, idsOf(unknown, "agent"), timeoutMs)),
  ]);
  return {
    ...facts,
    monitors: { ...facts.monitors, get: (id) => facts.monitors.get(id) ?? monitors.get(id) },
    agents: { ...facts.agents, get: (id) => facts.agents.get(id) ?? agents.get(id) },
  };
}

export type TargetCache<Target> = {
  get(id: number): Target | undefined;
  /** Queries these targets and drops all others. Changes that arrive during the query win. */
  query(ids: readonly number[]): Promise<void>;
  /** Updates a target; `null` deletes it. */
  change(id: number, target: Target | null): void;
};

/** @param read queries the service; the result omits missing ids */
export function openTargetCache<Target>(
  read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Target>>,
): TargetCache<Target> {
  let known = new Map<number, Target>();
  const queries = new Set<Map<number, Target | null>>();
  return {
    get: (id) => known.get(id),
    async query(ids) {
      const changes = new Map<number, Target | null>();
      queries.add(changes);
      try {
        const next = new Map(await read(ids));
        for (const [id, changed] of changes) {
          if (changed === null) next.delete(id);
          else if (ids.includes(id)) next.set(id, changed);
        }
        known = next;
      } finally {
        queries.delete(changes);
      }
    },
    change(id, changed) {
      if (changed === null) known.delete(id);
      else known.set(id, changed);
      for (const changes of queries) changes.set(id, changed);
    },
  };
}
