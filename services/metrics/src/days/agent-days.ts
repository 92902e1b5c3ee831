import { slices } from "@sonde/kit/concurrency/slices";
import { mergeSpans, type MaintenanceSpan as Span, overlapsSpans } from "@sonde/domain/maintenance/spans";
import type { AgentDaysQuestion, TargetDays } from "@sonde/proto/rpc/metrics";
import type { Context } from "../context.ts";
import { underwayMs } from "../history/history.ts";
import { dayMs, hourMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { type SampledHours, selectSampledHours, type HourMap, isFull, isInMap } from "./agent-store.ts";
import { checkCount, readRange } from "./monitor-days.ts";

type AgentDaysInput = {
  agents: readonly AgentDaysQuestion[];
  firstDay: number;
  dayCount: number;
  edges?: readonly number[] | undefined;
};

/** 90 days of hours take about 50 KB per agent, and ClickHouse's response is read at once. */
const agentsAtOnce = 25;

/**
 * Counts agents' minutes for each UTC day, or between the edges: up if there were samples, seen if there were samples
 * or an offline incident. Maintenance, time before an agent existed, and the current minute count as neither. Agents cannot be paused.
 * @throws AppError `unavailable` while ClickHouse is unavailable, `invalid` for more than 500 agents or 100 days
 */
export async function agentDays(
  ctx: Context,
  { agents, edges: given, ...days }: AgentDaysInput,
): Promise<TargetDays[]> {
  checkCount("agents", agents.length);
  const edges = given ?? edgesOf(readRange(ctx, days));
  const oldestMs = Math.ceil((ctx.clock.now() - ctx.retention.rollupDays * dayMs) / dayMs) * dayMs;
  const retainedFromMs = Math.max(edges[0]!, oldestMs);
  const nowMs = ctx.clock.now();
  const toMs = Math.min(edges.at(-1)!, nowMs - underwayMs);
  const requested = [...new Map(agents.map((agent) => [agent.agentId, agent])).values()];
  const maxMs = Math.max(0, ...requested.map(({ intervalMs }) => minutesAfterSample(intervalMs))) * 60_000;
  const fromMs = Math.min(hourOf(retainedFromMs - maxMs), hourOf(toMs));
  const touched = await ctx.read((client) => selectTouchedHours(client, fromMs, "touched_sample_hours"));
  const rawHours = [...new Set([...touched, hourOf(nowMs)])].filter((hour) => hour < toMs);
  const answer: TargetDays[] = [];
  const slice = slices();
  for (let index = 0; index < requested.length; index += agentsAtOnce) {
    const some = requested.slice(index, index + agentsAtOnce);
    const agentIds = some.map(({ agentId }) => agentId);
    const pieces = await ctx.read((client) =>
      selectSampledHours(client, { agentIds, fromMs, toMs: Math.max(fromMs, hourOf(toMs) + hourMs), rawHours }),
    );
    const hoursOf = Map.groupBy(pieces, ({ agentId }) => agentId);
    for (const { agentId, intervalMs, createdAtMs, offline } of some) {
      await slice();
      const minutes = countMinutes({
        edges,
        fromMs: Math.max(retainedFromMs, Number.isFinite(createdAtMs) ? createdAtMs : retainedFromMs),
        toMs,
        hours: mapsOf(hoursOf.get(agentId) ?? []),
        reach: minutesAfterSample(intervalMs),
        maintenance: ctx.maintenance.spansOf("agent", agentId),
        offline: mergeSpans(offline),
      });
      answer.push({ targetId: agentId, ...minutes, pausedMinutes: edges.slice(1).map(() => 0) });
    }
  }
  await slice();
  return answer;
}

const edgesOf = ({ firstMs, dayCount }: ReturnType<typeof readRange>) =>
  Array.from({ length: dayCount + 1 }, (_, day) => firstMs + day * dayMs);

function mapsOf(pieces: readonly SampledHours[]): Map<number, HourMap> {
  const maps = new Map<number, HourMap>();
  for (const { hours, low, high } of pieces) {
    for (const [index, hour] of hours.entries()) maps.set(hour, { low: low[index] ?? 0, high: high[index] ?? 0 });
  }
  return maps;
}

const minuteMs = 60_000;
const minutesPerHour = 60;
const minutesPerDay = 24 * minutesPerHour;

type AgentMinutes = Record<"expected" | "seen" | "up" | "monitoredMinutes" | "maintenanceMinutes", number[]>;

export type AgentMinutesInput = {
  /** Ascending; minutes count between the two that contain their start. */
  edges: readonly number[];
  /** Counting starts at the first whole minute at or after `fromMs` and ends with the last whole one before `toMs`. */
  fromMs: number;
  toMs: number;
  /** Minutes with samples, by hour since 1970; hours without samples may be absent. */
  hours: ReadonlyMap<number, HourMap>;
  /** Minutes after a sample's own that it also covers (`minutesAfterSample`). */
  reach: number;
  maintenance: readonly Span[];
  offline: readonly Span[];
};

/** Minutes until the next sample is due, plus a quarter of the interval; 0 if each minute has a sample. */
export function minutesAfterSample(intervalMs: number): number {
  if (!(intervalMs > 0)) return 0;
  return Math.min(minutesPerDay, Math.floor((1.25 * intervalMs) / minuteMs));
}

/**
 * Counts minutes: up if covered by a sample; seen but not up if within an offline incident; otherwise unknown. Minutes
 * that overlap a maintenance window count as none of these.
 */
export function countMinutes(input: AgentMinutesInput): AgentMinutes {
  const { edges, reach, maintenance, offline } = input;
  const zeros = () => edges.slice(1).map(() => 0);
  const counts: AgentMinutes = {
    expected: zeros(),
    seen: zeros(),
    up: zeros(),
    monitoredMinutes: zeros(),
    maintenanceMinutes: zeros(),
  };
  const firstMinute = Math.ceil(input.fromMs / minuteMs);
  const endMinute = Math.floor(input.toMs / minuteMs);
  const firstHour = Math.floor(firstMinute / minutesPerHour);
  let upUntil = -1;
  let day = 0;
  // Earlier samples may cover the first minutes.
  for (let hour = firstHour - Math.ceil(reach / minutesPerHour); hour * minutesPerHour < endMinute; hour++) {
    const map = input.hours.get(hour);
    const startMs = hour * hourMs;
    const start = hour * minutesPerHour;
    const endMs = startMs + hourMs;
    while (day < edges.length - 2 && edges[day + 1]! <= startMs) day++;
    const hasMaintenance = overlapsSpans(maintenance, startMs, startMs + hourMs);
    const wasOffline = overlapsSpans(offline, startMs, startMs + hourMs);
    const isInOne = start >= firstMinute && start + minutesPerHour <= endMinute && edges[day + 1]! >= endMs;
    const isWhole = isInOne && !hasMaintenance;
    // Fast path for almost every hour.
    const isUp = isWhole && map !== undefined && isFull(map);
    const isUnknown = isWhole && map === undefined && upUntil < start && !wasOffline;
    if (isUp || isUnknown) {
      counts.expected[day]! += minutesPerHour;
      counts.monitoredMinutes[day]! += minutesPerHour;
      if (isUp) {
        counts.seen[day]! += minutesPerHour;
        counts.up[day]! += minutesPerHour;
        upUntil = start + minutesPerHour - 1 + reach;
      }
      continue;
    }
    for (let minute = start; minute < start + minutesPerHour; minute++) {
      if (map !== undefined && isInMap(map, minute - start)) upUntil = minute + reach;
      if (minute < firstMinute || minute >= endMinute) continue;
      const fromMs = minute * minuteMs;
      while (day < edges.length - 2 && edges[day + 1]! <= fromMs) day++;
      counts.monitoredMinutes[day]! += 1;
      if (hasMaintenance && overlapsSpans(maintenance, fromMs, fromMs + minuteMs)) {
        counts.maintenanceMinutes[day]! += 1;
        continue;
      }
      const isMinuteUp = minute <= upUntil;
      counts.expected[day]! += 1;
      if (isMinuteUp) counts.up[day]! += 1;
      if (isMinuteUp || (wasOffline && overlapsSpans(offline, fromMs, fromMs + minuteMs))) counts.seen[day]! += 1;
    }
  }
  return counts;
}
