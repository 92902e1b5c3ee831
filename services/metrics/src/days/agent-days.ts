import { slices } from "@sonde/kit/concurrency/slices";
import { mergeSpans } from "@sonde/kit/maintenance/spans";
import type { AgentDaysQuestion, TargetDays } from "@sonde/proto/rpc/metrics";
import type { Context } from "../context.ts";
import { underwayMs } from "../history/history.ts";
import { dayMs, hourMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/marks.ts";
import { countMinutes, minutesAfterSample } from "./agent-minutes.ts";
import { type SampledHours, selectSampledHours } from "./agent-store.ts";
import { fullHour, type HourMap } from "../samples/hour-maps.ts";
import { checkCount, readRange } from "./range.ts";

export type AgentDaysInput = { agents: readonly AgentDaysQuestion[]; firstDay: number; dayCount: number };

/** Hours of 90 days are some 50 KB an agent where none is full; what ClickHouse answers is read in one go. */
const agentsAtOnce = 25;

/**
 * Minutes of agents on each UTC day: up with samples, seen with samples or an offline incident. Maintenance, the time
 * before an agent existed and the present minute are in neither; agents cannot be paused.
 * @throws AppError `unavailable` while ClickHouse is unavailable, `invalid` for more than 500 agents or 100 days
 */
export async function agentDays(ctx: Context, { agents, ...days }: AgentDaysInput): Promise<TargetDays[]> {
  checkCount("agents", agents.length);
  const { firstMs, dayCount, keptFromMs } = readRange(ctx, days);
  const nowMs = ctx.clock.now();
  const toMs = Math.min(firstMs + dayCount * dayMs, nowMs - underwayMs);
  const asked = [...new Map(agents.map((agent) => [agent.agentId, agent])).values()];
  const longestMs = Math.max(0, ...asked.map(({ intervalMs }) => minutesAfterSample(intervalMs))) * 60_000;
  const fromMs = Math.min(hourOf(keptFromMs - longestMs), hourOf(toMs));
  const touched = await ctx.read((client) => selectTouchedHours(client, fromMs, "touched_sample_hours"));
  const rawHours = [...new Set([...touched, hourOf(nowMs)])].filter((hour) => hour < toMs);
  const answer: TargetDays[] = [];
  const slice = slices();
  for (let index = 0; index < asked.length; index += agentsAtOnce) {
    const some = asked.slice(index, index + agentsAtOnce);
    const agentIds = some.map(({ agentId }) => agentId);
    const pieces = await ctx.read((client) =>
      selectSampledHours(client, { agentIds, fromMs, toMs: Math.max(fromMs, hourOf(toMs) + hourMs), rawHours }),
    );
    const hoursOf = Map.groupBy(pieces, ({ agentId }) => agentId);
    for (const { agentId, intervalMs, createdAtMs, offline } of some) {
      await slice();
      const minutes = countMinutes({
        firstMs,
        dayCount,
        fromMs: Math.max(keptFromMs, Number.isFinite(createdAtMs) ? createdAtMs : keptFromMs),
        toMs,
        hours: mapsOf(hoursOf.get(agentId) ?? []),
        reach: minutesAfterSample(intervalMs),
        maintenance: ctx.maintenance.spansOf("agent", agentId),
        offline: mergeSpans(offline),
      });
      answer.push({ targetId: agentId, ...minutes, pausedMinutes: Array.from({ length: dayCount }, () => 0) });
    }
  }
  await slice();
  return answer;
}

function mapsOf(pieces: readonly SampledHours[]): Map<number, HourMap> {
  const maps = new Map<number, HourMap>();
  for (const { days, masks, hours, low, high } of pieces) {
    for (const [index, day] of days.entries()) {
      const mask = masks[index] ?? 0;
      for (let hour = 0; hour < 24; hour++) if ((mask >>> hour) & 1) maps.set(day * 24 + hour, fullHour);
    }
    for (const [index, hour] of hours.entries()) maps.set(hour, { low: low[index] ?? 0, high: high[index] ?? 0 });
  }
  return maps;
}
