import type { MetricsRange } from "@sonde/proto/http/agents/agents";
import type { AgentSeries, MetricSeries } from "@sonde/proto/rpc/metrics";
import type { Context } from "../context.ts";
import { hourOf, hourMs } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { type StoredMetricName, storedMetrics } from "./series.ts";
import { selectHourSeries, selectRawSeries, type StoredSeries } from "./store.ts";

/** Maximum disks, and interfaces, in a response: those with the most values. */
export const maxNames = 20;

/**
 * Omits steps without samples. Longer ranges than a day use hourly figures, and samples where those are outdated.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function agentMetrics(
  ctx: Context,
  { agentId, range }: { agentId: number; range: MetricsRange },
): Promise<AgentSeries> {
  const nowMs = ctx.clock.now();
  const { fromMs, stepMs, count } = metricSteps(range, nowMs);
  const span = { agentId, fromMs, toMs: fromMs + count * stepMs, stepMs };
  const pieces = await ctx.read(async (client) => {
    if (stepMs < hourMs) return selectRawSeries(client, span);
    const touched = await selectTouchedHours(client, fromMs, "touched_sample_hours");
    const rawHours = [...new Set([...touched, hourOf(nowMs)])];
    const parts = [selectRawSeries(client, { ...span, rawHours }), selectHourSeries(client, { ...span, rawHours })];
    return (await Promise.all(parts)).flat();
  });
  const found = Map.groupBy(pieces, ({ metric, name }) => keyOf(metric, name));
  const series = (metric: StoredMetricName, name = "") =>
    joinSeries(found.get(keyOf(metric, name)) ?? [], storedMetrics[metric].scale);
  return {
    fromMs,
    stepMs,
    stepCount: count,
    cpu: series("cpu"),
    memory: series("memory"),
    loadOne: series("loadOne"),
    loadFive: series("loadFive"),
    loadFifteen: series("loadFifteen"),
    disks: namesOf(pieces, ["disk"]).map((mountPoint) => ({
      mountPoint,
      usage: series("disk", mountPoint),
      inodes: series("inodes", mountPoint),
    })),
    network: namesOf(pieces, ["receive", "send"]).map((name) => ({
      interface: name,
      receiveRate: series("receive", name),
      sendRate: series("send", name),
    })),
  };
}

const keyOf = (metric: StoredMetricName, name: string) => `${metric} ${name}`;

/** Joins parts of a series, which share no step, and converts units. */
function joinSeries(parts: readonly StoredSeries[], scale: number): MetricSeries {
  return {
    steps: parts.flatMap(({ steps }) => steps),
    avg: parts.flatMap(({ avg }) => avg.map((value) => value / scale)),
    max: parts.flatMap(({ max }) => max.map((value) => value / scale)),
  };
}

function namesOf(pieces: readonly StoredSeries[], metrics: readonly StoredMetricName[]): string[] {
  const counts = new Map<string, number>();
  for (const { metric, name, count } of pieces) {
    if (metrics.includes(metric)) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const byCount = [...counts].toSorted(([left, one], [right, other]) => other - one || (left < right ? -1 : 1));
  return byCount
    .slice(0, maxNames)
    .map(([name]) => name)
    .toSorted();
}

const shapes = {
  "1h": { stepMs: 60_000, count: 60 },
  "24h": { stepMs: 300_000, count: 288 },
  "7d": { stepMs: hourMs, count: 168 },
  "30d": { stepMs: hourMs, count: 720 },
} as const satisfies Record<MetricsRange, { stepMs: number; count: number }>;

type Steps = { fromMs: number; stepMs: number; count: number };

export function metricSteps(range: MetricsRange, nowMs: number): Steps {
  const { stepMs, count } = shapes[range];
  return { fromMs: Math.floor(nowMs / stepMs) * stepMs - (count - 1) * stepMs, stepMs, count };
}
