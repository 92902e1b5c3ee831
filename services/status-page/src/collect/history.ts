import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { slices } from "@sonde/kit/concurrency/slices";
import type { TargetDays } from "@sonde/proto/rpc/metrics";
import { shownDays } from "@sonde/proto/http/status/status";
import type { PageSources } from "../context.ts";
import { type CountedDays, dayMs, dayOf } from "../compose/days.ts";
import { keyOf, type AgentFacts } from "./targets.ts";

/** The targets of a query: monitors by id, agents with the start of their days. */
type HistoryTargets = { monitors: readonly number[]; agents: ReadonlyMap<number, AgentFacts> };

/** The days and response times of targets, as metrics counted them. */
export type History = {
  /** Null until they are counted. */
  daysOf(target: TargetRef): CountedDays | null;
  /** Means of 24 hours, oldest first; empty if there are none, undefined until queried. */
  responseTimesOf(monitorId: number): (number | null)[] | undefined;
  /**
   * Queries the present day, and all days of targets without them or queried ten minutes ago.
   * @throws AppError `unavailable`: the known days stay
   */
  refresh(asked: HistoryTargets, nowMs: number, options?: { timeoutMs?: number }): Promise<void>;
  /** All days are queried with the next refresh. */
  forget(): void;
  /** Drops all others. */
  keep(targets: readonly TargetRef[]): void;
};

const wholeEveryMs = 600_000;
const sparklinesEveryMs = 300_000;
/** The most days in one answer: read within some milliseconds, and small enough for a message of the bus. */
const maxDaysAtOnce = 9_000;
const maxTargetsAtOnce = 500;

/** `generation`: the last `forget` before all its days were queried. */
type CachedDays = { counted: CountedDays; wholeAtMs: number; generation: number };

type Asking = { firstDay: number; nowMs: number; generation: number };

export function openHistory(sources: Pick<PageSources, "metrics" | "incidents">): History {
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

  /** How to query all days, or the present one, in portions. */
  const rangeOf = (isWholeAsked: boolean, nowMs: number) => {
    const dayCount = isWholeAsked ? shownDays : 1;
    const firstDay = dayOf(nowMs) - dayCount + 1;
    const atOnce = Math.min(maxTargetsAtOnce, Math.floor(maxDaysAtOnce / dayCount));
    return { dayCount, firstDay, atOnce, asking: { firstDay, nowMs, generation } };
  };
  type Range = ReturnType<typeof rangeOf>;
  const askMonitorDays = async (monitors: readonly number[], range: Range, timeoutMs?: number) => {
    const { dayCount, firstDay, atOnce, asking } = range;
    for (const monitorIds of portions(monitors, atOnce)) {
      const answer = await sources.metrics.monitorDays({ monitorIds, firstDay, dayCount }, { timeoutMs });
      await take("monitor", answer.monitors, asking);
    }
  };
  const askAgentDays = async (found: HistoryTargets["agents"], range: Range, timeoutMs?: number) => {
    if (found.size === 0) return;
    const { dayCount, firstDay, atOnce, asking } = range;
    const offline = await askOffline(sources, new Set(found.keys()), firstDay * dayMs, asking.nowMs);
    for (const some of portions([...found], atOnce)) {
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
      maxTargetsAtOnce,
    )) {
      const answer = await sources.metrics.monitorSparklines({ monitorIds }, { timeoutMs });
      for (const id of monitorIds) responses.set(id, { times: [], atMs: nowMs });
      for (const { monitorId, avgMs } of answer.monitors) {
        responses.set(monitorId, { times: avgMs.map((ms) => (ms < 0 ? null : roundMs(ms))), atMs: nowMs });
      }
    }
  };

  return {
    daysOf: (target) => entries.get(keyOf(target))?.counted ?? null,
    responseTimesOf: (id) => responses.get(id)?.times,
    async refresh({ monitors, agents }, nowMs, { timeoutMs } = {}) {
      const lacks = (type: TargetRef["type"], id: number) => !isWhole({ type, id }, nowMs);
      const parts = [true, false].map((isWholeAsked) => ({
        range: rangeOf(isWholeAsked, nowMs),
        monitors: monitors.filter((id) => lacks("monitor", id) === isWholeAsked),
        agents: new Map([...agents].filter(([id]) => lacks("agent", id) === isWholeAsked)),
      }));
      // A source that fails for some does not keep the others from their history.
      const faults: unknown[] = [];
      const attempt = (step: Promise<void>) => step.catch((fault: unknown) => void faults.push(fault));
      for (const part of parts) {
        await attempt(askMonitorDays(part.monitors, part.range, timeoutMs));
        await attempt(askAgentDays(part.agents, part.range, timeoutMs));
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
const maxPages = 25;

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
  for (let page = 0; page < maxPages && agentIds.size > 0; page++) {
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
