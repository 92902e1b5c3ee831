import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { slices } from "@sonde/kit/concurrency/slices";
import type { TargetDays } from "@sonde/proto/rpc/metrics";
import { shownDays } from "@sonde/proto/http/status/status";
import type { PageSources } from "../context.ts";
import { type Bar, type CountedDays, dayMs, dayOf } from "../compose/days.ts";
import { keyOf, type AgentFacts } from "./targets.ts";

/** The targets of a query: monitors by id, agents with the start of their days. */
type HistoryTargets = { monitors: readonly number[]; agents: ReadonlyMap<number, AgentFacts> };

/** The days and response times of targets, as metrics counted them. */
export type TargetHistory = {
  daysOf(target: TargetRef): CountedDays | Bar | null;
  /** Means of 24 hours, oldest first. */
  responseTimesOf(monitorId: number): (number | null)[] | undefined;
  /** What was shown before this process started, until metrics has answered. */
  seed(target: TargetRef, bar: Bar, responseTimes: (number | null)[] | undefined): void;
  /**
   * Queries the present day, and all days of targets without them, or queried ten minutes ago.
   * @throws AppError `unavailable`: the known days stay
   */
  refresh(asked: HistoryTargets, nowMs: number, options?: { timeoutMs?: number }): Promise<void>;
  /** All days are queried with the next refresh. */
  forget(): void;
  /** Drops all others. */
  keep(targets: readonly TargetRef[]): void;
};

/** The same for several pages. */
export type SharedHistory = TargetHistory & {
  /** Whether its days were counted. */
  knows(target: TargetRef): boolean;
  /** As one page sees it: what it is seeded with is its own, for its bars have its own incidents. */
  ofPage(): TargetHistory;
};

const wholeEveryMs = 600_000;
const sparklinesEveryMs = 300_000;
/** The most days in one answer: read within some milliseconds, and small enough for a message of the bus. */
const mostDaysAtOnce = 9_000;
const mostTargetsAtOnce = 500;

/** `generation`: the last `forget` before all its days were queried. */
type CachedDays = { counted: CountedDays; wholeAtMs: number; generation: number };

type Asking = { firstDay: number; nowMs: number; generation: number };

export function openHistory(sources: Pick<PageSources, "metrics" | "incidents">): SharedHistory {
  const entries = new Map<string, CachedDays>();
  const responses = new Map<number, { times: (number | null)[]; atMs: number }>();
  let generation = 0;

  const isWhole = (target: TargetRef, nowMs: number) => {
    const entry = entries.get(keyOf(target));
    if (entry === undefined || entry.generation < generation) return false;
    const lastDay = entry.counted.firstDay + entry.counted.days.length - 1;
    const ageMs = nowMs - entry.wholeAtMs;
    return lastDay === dayOf(nowMs) && ageMs >= 0 && ageMs < wholeEveryMs;
  };

  const take = async (type: TargetRef["type"], found: readonly TargetDays[], asking: Asking) => {
    const { firstDay, nowMs } = asking;
    const pause = slices();
    for (const figures of found) {
      await pause();
      const key = keyOf({ type, id: figures.targetId });
      const days = countsOf(figures);
      const known = entries.get(key);
      if (days.length > 1 || known === undefined) {
        entries.set(key, { counted: { firstDay, days }, wholeAtMs: nowMs, generation: asking.generation });
      } else {
        const counted = { ...known.counted, days: [...known.counted.days.slice(0, -1), ...days] };
        entries.set(key, { ...known, counted });
      }
    }
  };

  /** Whole, or for the present day, in portions. */
  const rangeOf = (isWholeAsked: boolean, nowMs: number) => {
    const dayCount = isWholeAsked ? shownDays : 1;
    const firstDay = dayOf(nowMs) - dayCount + 1;
    const atOnce = Math.min(mostTargetsAtOnce, Math.floor(mostDaysAtOnce / dayCount));
    return { dayCount, firstDay, atOnce, asking: { firstDay, nowMs, generation } };
  };
  const askMonitorDays = async (asked: HistoryTargets, isWholeAsked: boolean, nowMs: number, timeoutMs?: number) => {
    const { dayCount, firstDay, atOnce, asking } = rangeOf(isWholeAsked, nowMs);
    for (const monitorIds of portions(asked.monitors, atOnce)) {
      const answer = await sources.metrics.monitorDays({ monitorIds, firstDay, dayCount }, { timeoutMs });
      await take("monitor", answer.monitors, asking);
    }
  };
  const askAgentDays = async (asked: HistoryTargets, isWholeAsked: boolean, nowMs: number, timeoutMs?: number) => {
    if (asked.agents.size === 0) return;
    const { dayCount, firstDay, atOnce, asking } = rangeOf(isWholeAsked, nowMs);
    const offline = await askOffline(sources, new Set(asked.agents.keys()), firstDay * dayMs, nowMs);
    for (const some of portions([...asked.agents], atOnce)) {
      const agents = some.map(([agentId, { intervalMs, createdAtMs }]) => ({
        agentId,
        intervalMs,
        createdAtMs,
        offline: offline.get(agentId) ?? [],
      }));
      const answer = await sources.metrics.agentDays({ agents, firstDay, dayCount }, { timeoutMs });
      await take("agent", answer.agents, asking);
    }
  };

  const askSparklines = async (monitors: readonly number[], nowMs: number, timeoutMs?: number) => {
    const isFresh = (id: number) => Math.abs(nowMs - (responses.get(id)?.atMs ?? 0)) < sparklinesEveryMs;
    for (const monitorIds of portions(
      monitors.filter((id) => !isFresh(id)),
      mostTargetsAtOnce,
    )) {
      const answer = await sources.metrics.monitorSparklines({ monitorIds }, { timeoutMs });
      for (const id of monitorIds) responses.set(id, { times: [], atMs: nowMs });
      for (const { monitorId, avgMs } of answer.monitors) {
        responses.set(monitorId, { times: avgMs.map((ms) => (ms < 0 ? null : roundMs(ms))), atMs: nowMs });
      }
    }
  };

  const ofPage = (): TargetHistory => {
    const bars = new Map<string, Bar>();
    return {
      ...shared,
      daysOf: (target) => shared.daysOf(target) ?? bars.get(keyOf(target)) ?? null,
      seed(target, bar, times) {
        bars.set(keyOf(target), bar);
        shared.seed(target, bar, times);
      },
    };
  };
  const shared: TargetHistory = {
    daysOf: (target) => entries.get(keyOf(target))?.counted ?? null,
    responseTimesOf: (id) => {
      const times = responses.get(id)?.times;
      return times === undefined || times.length === 0 ? undefined : times;
    },
    seed(target, _bar, times) {
      if (target.type === "monitor" && times !== undefined) responses.set(target.id, { times, atMs: 0 });
    },
    async refresh({ monitors, agents }, nowMs, { timeoutMs } = {}) {
      const known = (type: TargetRef["type"]) => (id: number) => isWhole({ type, id }, nowMs);
      const split = (wanted: boolean): HistoryTargets => ({
        monitors: monitors.filter((id) => known("monitor")(id) === wanted),
        agents: new Map([...agents].filter(([id]) => known("agent")(id) === wanted)),
      });
      const [whole, present] = [split(false), split(true)];
      // A source that fails for some does not keep the others from their history.
      const faults: unknown[] = [];
      const attempt = (step: Promise<void>) => step.catch((fault: unknown) => void faults.push(fault));
      for (const [some, isWholeAsked] of [
        [whole, true],
        [present, false],
      ] as const) {
        await attempt(askMonitorDays(some, isWholeAsked, nowMs, timeoutMs));
        await attempt(askAgentDays(some, isWholeAsked, nowMs, timeoutMs));
      }
      await attempt(askSparklines(monitors, nowMs, timeoutMs));
      if (faults.length > 0) throw faults[0];
    },
    forget: () => void generation++,
    keep(targets) {
      const kept = new Set(targets.map(keyOf));
      const isOver = (key: string) => !kept.has(key);
      for (const key of [...entries.keys()].filter(isOver)) entries.delete(key);
      for (const id of [...responses.keys()].filter((known) => isOver(`monitor:${known}`))) responses.delete(id);
    },
  };
  return { ...shared, knows: (target) => entries.has(keyOf(target)), ofPage };
}

function countsOf(figures: TargetDays) {
  const { expected, seen, up, monitoredMinutes: _, maintenanceMinutes, pausedMinutes } = figures;
  return expected.map((count, at) => ({
    expected: count,
    seen: seen[at] ?? 0,
    up: up[at] ?? 0,
    maintenanceMinutes: maintenanceMinutes[at] ?? 0,
    pausedMinutes: pausedMinutes[at] ?? 0,
  }));
}

function* portions<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** From an instant up to another, epoch milliseconds. */
type Span = { fromMs: number; toMs: number };

const atOnce = 400;
const mostPages = 25;

/**
 * When these agents were offline since an instant, oldest first: their offline incidents. One that is open ends now. Of
 * more than ten thousand incidents the newest count.
 * @throws AppError `unavailable`
 */
async function askOffline(
  { incidents }: Pick<PageSources, "incidents">,
  agentIds: ReadonlySet<number>,
  sinceMs: number,
  nowMs: number,
): Promise<Map<number, Span[]>> {
  const spans = new Map<number, Span[]>();
  const pause = slices();
  // An open incident counts as the last to close, so open ones come first.
  const filter = { kind: "offline", sort: "-closedAt", targetIds: [...agentIds] } as const;
  let after = "";
  for (let page = 0; page < mostPages && agentIds.size > 0; page++) {
    const answer = await incidents.listIncidents(
      { filter, after, limit: atOnce, uncounted: true },
      { scope: "agents" },
    );
    let isOver = answer.incidents.length < atOnce;
    after = answer.last;
    for (const { incident } of answer.incidents) {
      await pause();
      const targetId = incident.target.id;
      const closedAtMs = incident.closedAt === undefined ? nowMs : Date.parse(incident.closedAt);
      if (closedAtMs < sinceMs) isOver = true;
      else if (agentIds.has(targetId)) {
        const own = spans.get(targetId) ?? [];
        own.push({ fromMs: Math.max(Date.parse(incident.openedAt), sinceMs), toMs: closedAtMs });
        spans.set(targetId, own);
      }
    }
    if (isOver) break;
  }
  for (const own of spans.values()) own.sort((one, other) => one.fromMs - other.fromMs);
  return spans;
}

/** To a tenth. */
export const roundMs = (ms: number): number => Math.round(ms * 10) / 10;
