import type { MaintenanceWatch } from "@sonde/kit/maintenance/watch";
import {
  type PublicIncident,
  type PublicMaintenance,
  publicIncident,
  publicMaintenance,
} from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import { type PageStates, pageSnapshot, pageStates } from "@sonde/proto/http/status/snapshot";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { Log } from "@sonde/kit/service/log";
import type { z } from "zod";
import type { PageSources, Context } from "../context.ts";
import { type SharedHistory, type TargetHistory, openHistory } from "./history.ts";
import {
  displayNames,
  type DisplayNames,
  keyOf,
  shownTargets,
  type AgentFacts,
  askAgents,
  askMonitors,
  type MonitorFacts,
  idsOf,
  named,
  type NamedTarget,
} from "./targets.ts";

/** What was published before this process started, used until the services have answered. */
type EarlierSnapshot = {
  names: ReadonlyMap<string, string>;
  responseTimes: ReadonlyMap<number, number>;
  incidents: PublicIncident[];
  maintenance: PublicMaintenance[];
  states: Omit<PageStates, "revision"> | null;
};

type Known = {
  monitors: TargetCache<MonitorFacts>;
  agents: TargetCache<AgentFacts>;
};

/** What all pages are made from, asked for once. */
export type SharedFacts = Known & {
  history: SharedHistory;
  /** When monitors and agents were last queried with success; null: not yet. */
  heardAtMs(): number | null;
  heard(atMs: number): void;
  /** The facts as one page sees them: with the bars that it showed before this process started, and no other page's. */
  ofPage(): Known & { history: TargetHistory };
};

/** All facts that a page is made from, as last known. */
export type Memory = Known & {
  history: TargetHistory;
  earlier: EarlierSnapshot;
  /** Incidents as listed when both producers were last read. */
  incidents: PublicIncident[];
  maintenance: PublicMaintenance[];
};

export const nothingEarlier: EarlierSnapshot = {
  names: new Map(),
  responseTimes: new Map(),
  incidents: [],
  maintenance: [],
  states: null,
};

export function openFacts(sources: PageSources): SharedFacts {
  const known: Known = {
    monitors: openKnown((ids) => askMonitors(sources, ids)),
    agents: openKnown((ids) => askAgents(sources, ids)),
  };
  const history = openHistory(sources);
  let heardAtMs: number | null = null;
  return {
    ...known,
    history,
    heardAtMs: () => heardAtMs,
    heard: (atMs) => void (heardAtMs = atMs),
    ofPage: () => ({ ...known, history: history.ofPage() }),
  };
}

type Facts = Pick<Memory, "monitors" | "agents" | "earlier">;

/** The page's names, as far as its targets are known to exist. */
export const namesIn = ({ monitors, agents, earlier }: Facts, config: StatusConfig): DisplayNames =>
  displayNames(
    config,
    (type, id) =>
      (type === "monitor" ? monitors : agents).get(id)?.name ?? earlier.names.get(keyOf({ type, id })) ?? null,
  );

/**
 * The known facts, and those of shown targets that were not needed so far.
 * @throws AppError `unavailable`, unless `lenient`: then what cannot be read is left out
 */
export async function withFacts(
  { sources }: Pick<Context, "sources">,
  memory: Memory,
  config: StatusConfig,
  { timeoutMs, lenient = false }: { timeoutMs?: number; lenient?: boolean },
): Promise<Memory> {
  const unknown = shownTargets(config).filter(
    ({ type, id }) => !(type === "monitor" ? memory.monitors : memory.agents).get(id),
  );
  const orNone = <Found>(found: Promise<Map<number, Found>>) =>
    lenient ? found.catch(() => new Map<number, Found>()) : found;
  const [monitors, agents] = await Promise.all([
    orNone(askMonitors(sources, idsOf(unknown, "monitor"), timeoutMs)),
    orNone(askAgents(sources, idsOf(unknown, "agent"), timeoutMs)),
  ]);
  return {
    ...memory,
    monitors: { ...memory.monitors, get: (id) => memory.monitors.get(id) ?? monitors.get(id) },
    agents: { ...memory.agents, get: (id) => memory.agents.get(id) ?? agents.get(id) },
  };
}

/** The present states of all that a configuration shows and of which something is known. */
export function statesIn(
  { monitors, agents, earlier }: Facts,
  config: StatusConfig,
  maintenance: Pick<MaintenanceWatch, "at">,
  nowMs: number,
): Pick<PageStates, "monitors" | "agents"> {
  const states: Pick<PageStates, "monitors" | "agents"> = { monitors: {}, agents: {} };
  const covered = <State>(type: TargetType, id: number, state: State) => {
    const span = maintenance.at(type, id, nowMs);
    return span === undefined ? state : { status: "maintenance" as const, sinceMs: span.fromMs };
  };
  for (const id of config.monitors) {
    const facts = monitors.get(id);
    const state = facts === undefined ? earlier.states?.monitors[id] : monitorState(facts);
    if (state !== undefined) states.monitors[id] = covered("monitor", id, state);
  }
  for (const id of config.agents) {
    const state = agents.get(id) ?? earlier.states?.agents[id];
    if (state !== undefined) states.agents[id] = covered("agent", id, { status: state.status, sinceMs: state.sinceMs });
  }
  return states;
}

const monitorState = ({ status, sinceMs, staleSinceMs }: MonitorFacts): PageStates["monitors"][string] =>
  staleSinceMs !== null && status !== "paused" ? { status: "unknown", sinceMs: staleSinceMs } : { status, sinceMs };

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
export const stillShown = <Entry extends { targets: readonly NamedTarget[] }>(
  entries: readonly Entry[],
  names: DisplayNames,
): Entry[] =>
  entries
    .map((entry) => ({ ...entry, targets: named(entry.targets, names) }))
    .filter(({ targets }, at) => targets.length > 0 || entries[at]!.targets.length === 0);

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

const monitor = pageSnapshot.shape.monitors.element.loose();
const agent = pageSnapshot.shape.agents.element.loose();

/**
 * Loads the bucket's previous state, so that a start while other services are unavailable changes nothing on the page.
 * An unreadable value counts as none.
 */
export function readEarlier(
  texts: { page: string | null; states: string | null },
  { history }: Pick<Memory, "history">,
  log: Pick<Log, "warn">,
): EarlierSnapshot {
  try {
    const page = JSON.parse(texts.page ?? "{}") as Record<string, unknown[] | undefined>;
    const read = <Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema>[] =>
      (page[name] ?? []).flatMap((entry) => schema.safeParse(entry).data ?? []);
    const names = new Map<string, string>();
    const responseTimes = new Map<number, number>();
    for (const { id, name, uptime, coverage, days, ...responses } of read("monitors", monitor)) {
      names.set(keyOf({ type: "monitor", id }), name);
      history.seed({ type: "monitor", id }, { uptime, coverage, days }, responses.responseTimes);
      if (responses.responseTime !== undefined) responseTimes.set(id, responses.responseTime);
    }
    for (const { id, name, uptime, coverage, days } of read("agents", agent)) {
      names.set(keyOf({ type: "agent", id }), name);
      history.seed({ type: "agent", id }, { uptime, coverage, days }, undefined);
    }
    return {
      names,
      responseTimes,
      incidents: read("incidents", publicIncident),
      maintenance: read("maintenance", publicMaintenance),
      states: texts.states === null ? null : pageStates.parse(JSON.parse(texts.states)),
    };
  } catch (error) {
    log.warn({ err: error }, "the page that was published before cannot be read; it is made again");
    return nothingEarlier;
  }
}
