import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { slices } from "@sonde/kit/concurrency/slices";
import type { TargetDays } from "@sonde/proto/rpc/metrics";
import { shownDays } from "@sonde/proto/http/status/status";
import type { PageSources } from "../context.ts";
import { type CountedDays, dayMs, dayOf } from "../compose/days.ts";
import { keyOf, type AgentFacts } from "./targets.ts";

type HistoryTargets = { monitors: readonly number[]; agents: ReadonlyMap<number, AgentFacts> };

export type RecentUptimes = { uptime24h?: number | undefined; uptime30d?: number | undefined };

export type History = {
  /** `null` until queried. */
  daysOf(target: TargetRef): CountedDays | null;
  /** 24 hourly means, oldest first; empty if there are none, undefined until queried. */
  responseTimesOf(monitorId: number): (number | null)[] | undefined;
  /** Uptime in percent; empty until queried, and for groups. */
  uptimesOf(monitorId: number): RecentUptimes;
  /** Queries the current day, and all days if missing or older than ten minutes. @throws AppError `unavailable` */
  refresh(targets: HistoryTargets, nowMs: number, options?: { timeoutMs?: number }): Promise<void>;
  forget(): void;
  keep(targets: readonly TargetRef[]): void;
};

const fullQueryEveryMs = 600_000;
const sparklinesEveryMs = 300_000;
/** Days per response: read in milliseconds, and small enough for a bus message. */
const maxDaysAtOnce = 9_000;
const maxTargetsAtOnce = 500;

/** `generation`: the last `forget` before all days were queried. */
type CachedDays = { counted: CountedDays; fullQueryAtMs: number; generation: number };

type QueryContext = { firstDay: number; nowMs: number; generation: number };

export function openHistory(sources: Pick<PageSources, "metrics" | "incidents">): History {
  const entries = new Map<string, CachedDays>();
  const responses = new Map<number, { times: (number | null)[]; uptimes: RecentUptimes; atMs: number }>();
  let generation = 0;

  const isWhole = (target: TargetRef, nowMs: number) => {
    const entry = entries.get(keyOf(target));
    if (entry === undefined || entry.generation < generation) return false;
    const lastDay = entry.counted.firstDay + entry.counted.days.length - 1;
    const ageMs = nowMs - entry.fullQueryAtMs;
    return lastDay === dayOf(nowMs) && ageMs >= 0 && ageMs < fullQueryEveryMs;
  };

  const take = async (type: TargetRef["type"], found: readonly TargetDays[], query: QueryContext) => {
    const { firstDay, nowMs } = query;
    const pause = slices();
    for (const figures of found) {
      await pause();
      const key = keyOf({ type, id: figures.targetId });
      const days = countsOf(figures);
      const known = entries.get(key);
      if (days.length > 1 || known === undefined) {
        entries.set(key, { counted: { firstDay, days }, fullQueryAtMs: nowMs, generation: query.generation });
      } else {
        const counted = { ...known.counted, days: [...known.counted.days.slice(0, -1), ...days] };
        entries.set(key, { ...known, counted });
      }
    }
  };

  const rangeOf = (isFullQuery: boolean, nowMs: number) => {
    const dayCount = isFullQuery ? shownDays : 1;
    const firstDay = dayOf(nowMs) - dayCount + 1;
    const atOnce = Math.min(maxTargetsAtOnce, Math.floor(maxDaysAtOnce / dayCount));
    return { dayCount, firstDay, atOnce, query: { firstDay, nowMs, generation } };
  };
  type Range = ReturnType<typeof rangeOf>;
  const queryMonitorDays = async (monitors: readonly number[], range: Range, timeoutMs?: number) => {
    const { dayCount, firstDay, atOnce, query } = range;
    for (const monitorIds of portions(monitors, atOnce)) {
      const answer = await sources.metrics.monitorDays({ monitorIds, firstDay, dayCount }, { timeoutMs });
      await take("monitor", answer.monitors, query);
    }
  };
  const queryAgentDays = async (found: HistoryTargets["agents"], range: Range, timeoutMs?: number) => {
    if (found.size === 0) return;
    const { dayCount, firstDay, atOnce, query } = range;
    const offline = await queryOffline(sources, new Set(found.keys()), firstDay * dayMs, query.nowMs);
    for (const some of portions([...found], atOnce)) {
      const agents = some.map(([agentId, { intervalMs, createdAtMs }]) => ({
        agentId,
        intervalMs,
        createdAtMs,
        offline: offline.get(agentId) ?? [],
      }));
      const answer = await sources.metrics.agentDays({ agents, firstDay, dayCount }, { timeoutMs });
      await take("agent", answer.agents, query);
    }
  };

  const querySparklines = async (monitors: readonly number[], nowMs: number, timeoutMs?: number) => {
    const isFresh = (id: number) => Math.abs(nowMs - (responses.get(id)?.atMs ?? 0)) < sparklinesEveryMs;
    for (const monitorIds of portions(
      monitors.filter((id) => !isFresh(id)),
      maxTargetsAtOnce,
    )) {
      const [answer, { uptimes }] = await Promise.all([
        sources.metrics.monitorSparklines({ monitorIds }, { timeoutMs }),
        sources.metrics.monitorUptimes({ monitorIds }, { timeoutMs }),
      ]);
      for (const id of monitorIds) responses.set(id, { times: [], uptimes: {}, atMs: nowMs });
      for (const { monitorId, avgMs } of answer.monitors) {
        responses.get(monitorId)!.times = avgMs.map((ms) => (ms < 0 ? null : roundMs(ms)));
      }
      for (const { monitorId, h24, d30 } of uptimes) {
        responses.get(monitorId)!.uptimes = { uptime24h: floorPercent(h24), uptime30d: floorPercent(d30) };
      }
      for (const id of monitorIds) {
        const found = responses.get(id)!;
        // Right after its start, metrics knows response times before uptimes: ask again in the next pass.
        if (found.uptimes.uptime24h === undefined && found.times.some((ms) => ms !== null)) found.atMs = 0;
      }
    }
  };

  return {
    daysOf: (target) => entries.get(keyOf(target))?.counted ?? null,
    responseTimesOf: (id) => responses.get(id)?.times,
    uptimesOf: (id) => responses.get(id)?.uptimes ?? {},
    async refresh({ monitors, agents }, nowMs, { timeoutMs } = {}) {
      const lacks = (type: TargetRef["type"], id: number) => !isWhole({ type, id }, nowMs);
      const parts = [true, false].map((isFullQuery) => ({
        range: rangeOf(isFullQuery, nowMs),
        monitors: monitors.filter((id) => lacks("monitor", id) === isFullQuery),
        agents: new Map([...agents].filter(([id]) => lacks("agent", id) === isFullQuery)),
      }));
      // A failure for some targets does not stop the others.
      const faults: unknown[] = [];
      const attempt = (step: Promise<void>) => step.catch((fault: unknown) => void faults.push(fault));
      for (const part of parts) {
        await attempt(queryMonitorDays(part.monitors, part.range, timeoutMs));
        await attempt(queryAgentDays(part.agents, part.range, timeoutMs));
      }
      await attempt(querySparklines(monitors, nowMs, timeoutMs));
      if (faults.length > 0) throw faults[0];
    },
    forget: () => void generation++,
    keep(targets) {
      const shownKeys = new Set(targets.map(keyOf));
      const isOver = (key: string) => !shownKeys.has(key);
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

/** Epoch milliseconds, end excluded. */
type Span = { fromMs: number; toMs: number };

const atOnce = 400;
const maxPages = 25;

/** Open incidents end now; only the newest ten thousand are considered. @throws AppError `unavailable` */
async function queryOffline(
  { incidents }: Pick<PageSources, "incidents">,
  agentIds: ReadonlySet<number>,
  sinceMs: number,
  nowMs: number,
): Promise<Map<number, Span[]>> {
  const spans = new Map<number, Span[]>();
  const pause = slices();
  // Open incidents sort as the last to close, so they are first.
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

export const roundMs = (ms: number): number => Math.round(ms * 10) / 10;

/** Rounds down to three decimals, so only a whole is 100. */
const floorPercent = (percent: number | undefined): number | undefined =>
  percent === undefined ? undefined : Math.floor(percent * 1000) / 1000;
