import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import type { PublicIncident, PublicMaintenance, PublicState } from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import type { PageStates } from "@sonde/proto/http/status/snapshot";
import type { TargetType, TargetRef } from "@sonde/proto/http/monitors/targets";
import type { MaintenanceSpan } from "@sonde/kit/maintenance/spans";
import type { PageSources, Context } from "../context.ts";
import { type TargetHistory, openHistory } from "./history.ts";
import { displayNames, type DisplayNames, keyOf, shownTargets } from "./shown.ts";
import { type AgentFacts, askAgents, askMonitors, type MonitorFacts } from "./sources.ts";

/** What was published before this process started, used until the services have answered. */
export type EarlierSnapshot = {
  names: ReadonlyMap<string, string>;
  responseTimes: ReadonlyMap<number, number>;
  incidents: PublicIncident[];
  maintenance: PublicMaintenance[];
  states: Omit<PageStates, "revision"> | null;
};

/** All facts that the page is made from, as last known. */
export type Memory = {
  monitors: TargetCache<MonitorFacts>;
  agents: TargetCache<AgentFacts>;
  history: TargetHistory;
  earlier: EarlierSnapshot;
  /** Incidents as listed when both producers were last read. */
  incidents: PublicIncident[];
  maintenance: PublicMaintenance[];
  /** When monitors and agents were last queried with success; null: not yet. */
  heardAtMs: number | null;
};

export const nothingEarlier: EarlierSnapshot = {
  names: new Map(),
  responseTimes: new Map(),
  incidents: [],
  maintenance: [],
  states: null,
};

export function openMemory(sources: PageSources): Memory {
  return {
    monitors: openKnown((ids) => askMonitors(sources, ids)),
    agents: openKnown((ids) => askAgents(sources, ids)),
    history: openHistory(sources),
    earlier: nothingEarlier,
    incidents: [],
    maintenance: [],
    heardAtMs: null,
  };
}

type Facts = Pick<Memory, "monitors" | "agents">;

/** A target's own name; null: it is not known to exist. */
export function ownName({ monitors, agents, earlier }: Facts & Pick<Memory, "earlier">, type: TargetType, id: number) {
  const facts = type === "monitor" ? monitors.get(id) : agents.get(id);
  return facts?.name ?? earlier.names.get(keyOf({ type, id })) ?? null;
}

export const namesIn = (memory: Facts & Pick<Memory, "earlier">, config: StatusConfig): DisplayNames =>
  displayNames(config, (type, id) => ownName(memory, type, id));

/** The present states of all that a configuration shows and of which something is known. */
export function statesIn(
  { monitors, agents, earlier }: Facts & Pick<Memory, "earlier">,
  config: StatusConfig,
  maintenance: Pick<MaintenanceWatch, "at">,
  nowMs: number,
): Pick<PageStates, "monitors" | "agents"> {
  const states: Pick<PageStates, "monitors" | "agents"> = { monitors: {}, agents: {} };
  for (const id of config.monitors) {
    const span = maintenance.at("monitor", id, nowMs);
    const facts = monitors.get(id);
    const before = earlier.states?.monitors[id];
    const state = facts === undefined ? (before && span ? inMaintenance(span) : before) : monitorState(facts, span);
    if (state !== undefined) states.monitors[id] = state;
  }
  for (const id of config.agents) {
    const span = maintenance.at("agent", id, nowMs);
    const facts = agents.get(id);
    const before = earlier.states?.agents[id];
    const state = facts === undefined ? (before && span ? inMaintenance(span) : before) : agentState(facts, span);
    if (state !== undefined) states.agents[id] = state;
  }
  return states;
}

/** When the next maintenance of a shown target begins or ends; null: none is known. */
export function nextBoundaryMs(
  config: StatusConfig,
  maintenance: Pick<MaintenanceWatch, "spansOf">,
  nowMs: number,
): number | null {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { type, id } of shownTargets(config)) {
    const span = maintenance.spansOf(type, id).find(({ toMs }) => toMs > nowMs);
    if (span !== undefined) nextMs = Math.min(nextMs, span.fromMs > nowMs ? span.fromMs : span.toMs);
  }
  return nextMs === Number.POSITIVE_INFINITY ? null : nextMs;
}

/** Entries listed before, under a configuration that may show less by now. */
export function stillShown<Entry extends { targets: readonly (TargetRef & { name: string })[] }>(
  entries: readonly Entry[],
  names: DisplayNames,
): Entry[] {
  return entries.flatMap((entry) => {
    const targets = entry.targets.filter(({ type, id }) => names.of(type, id) !== null);
    return targets.length === 0 && entry.targets.length > 0 ? [] : [{ ...entry, targets }];
  });
}

type MonitorState = PageStates["monitors"][string];
type AgentState = PageStates["agents"][string];

/** A monitor's public state; `span`: the maintenance that it is in, if any. */
function monitorState(
  { status, sinceMs, staleSinceMs }: MonitorFacts,
  span: MaintenanceSpan | undefined,
): MonitorState {
  if (span !== undefined) return inMaintenance(span);
  if (staleSinceMs !== null && status !== "paused") return { status: "unknown", sinceMs: staleSinceMs };
  return { status, sinceMs };
}

function agentState({ status, sinceMs }: AgentFacts, span: MaintenanceSpan | undefined): AgentState {
  return span === undefined ? { status, sinceMs } : inMaintenance(span);
}

export const inMaintenance = ({ fromMs }: MaintenanceSpan) =>
  ({ status: "maintenance" satisfies PublicState, sinceMs: fromMs }) as const;

/** The known facts of the targets of one type that the page shows. */
export type TargetCache<Facts> = {
  get(id: number): Facts | undefined;
  /** Queries these and forgets all others. Changes that arrive during the query stay. */
  ask(ids: readonly number[]): Promise<void>;
  /** A target changed; null: it was deleted. */
  change(id: number, facts: Facts | null): void;
};

/** @param read asks the service that knows; ids that are not in its answer are not there */
export function openKnown<Facts>(
  read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Facts>>,
): TargetCache<Facts> {
  let facts = new Map<number, Facts>();
  const asking = new Set<Map<number, Facts | null>>();
  return {
    get: (id) => facts.get(id),
    async ask(ids) {
      const changes = new Map<number, Facts | null>();
      asking.add(changes);
      try {
        const next = new Map(await read(ids));
        for (const [id, changed] of changes) {
          if (changed === null) next.delete(id);
          else if (ids.includes(id)) next.set(id, changed);
        }
        facts = next;
      } finally {
        asking.delete(changes);
      }
    },
    change(id, changed) {
      if (changed === null) facts.delete(id);
      else facts.set(id, changed);
      for (const changes of asking) changes.set(id, changed);
    },
  };
}

/** `Context.namesOf`: the known names, and those of targets that were not requested yet. */
export async function namesNow(
  { sources }: Pick<Context, "sources">,
  memory: Memory,
  config: StatusConfig,
): Promise<DisplayNames> {
  const unknown = shownTargets(config).filter(({ type, id }) => ownName(memory, type, id) === null);
  const idsOf = (wanted: TargetRef["type"]) => unknown.flatMap(({ type, id }) => (type === wanted ? [id] : []));
  const [monitors, agents] = await Promise.all([
    askMonitors(sources, idsOf("monitor")).catch(() => new Map<number, never>()),
    askAgents(sources, idsOf("agent")).catch(() => new Map<number, never>()),
  ]);
  return displayNames(
    config,
    (type, id) => ownName(memory, type, id) ?? (type === "monitor" ? monitors : agents).get(id)?.name ?? null,
  );
}
