import { sortByNumber } from "@sonde/kit/sort-by-number";
import { slowerBy } from "@sonde/proto/http/monitors/monitors";
import type { MonitorTrend } from "@sonde/proto/rpc/metrics";
import type { Context } from "../context.ts";
import { hourMs, hourOf } from "../rollups/instants.ts";
import { selectRecent, selectUsual } from "./store.ts";

/** The current hour and the two before it. */
const windowHours = 3;
/** With fewer checks, one slow check would look like a trend. */
const minChecks = 5;

export type Trends = ReadonlyMap<number, MonitorTrend>;

/**
 * Returns a function that compares each monitor's p95 of the last hours with the same hours of the last seven days.
 * Heartbeats have no response times and are omitted, like monitors without a successful check. The usual values are
 * read once an hour.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export function createTrends(ctx: Context): () => Promise<Trends> {
  let usual: { hour: number; ms: ReadonlyMap<number, number> } | null = null;
  return async () => {
    const presentHour = hourOf(ctx.clock.now());
    const window = { fromMs: presentHour - (windowHours - 1) * hourMs, toMs: presentHour + hourMs };
    const [recent, before] = await ctx.read(async (client) => {
      const known = usual?.hour === presentHour ? usual : { hour: presentHour, ms: await selectUsual(client, window) };
      return [await selectRecent(client, window), known] as const;
    });
    usual = before;
    const trends = new Map<number, MonitorTrend>();
    for (const { monitorId, checks, p95Ms: lastMs } of recent) {
      if (ctx.timelines.get(monitorId)?.dueInRows === true) continue;
      const usualMs = checks < minChecks ? undefined : before.ms.get(monitorId);
      trends.set(monitorId, { monitorId, lastMs, usualMs, slower: isSlower(lastMs, usualMs) });
    }
    return trends;
  };
}

const isSlower = (lastMs: number, usualMs: number | undefined) =>
  usualMs !== undefined && lastMs - usualMs >= slowerBy.ms && lastMs >= usualMs * (1 + slowerBy.percent / 100);

const changeOf = (trend: MonitorTrend | undefined) =>
  trend?.usualMs === undefined || trend.usualMs === 0 ? null : trend.lastMs / trend.usualMs;

/** Largest change first. */
export function slowerMonitors(trends: Trends, max: number): number[] {
  const slower = [...trends.values()].filter((trend) => trend.slower);
  return sortByNumber(slower, changeOf, true)
    .slice(0, max)
    .map(({ monitorId }) => monitorId);
}

/** Monitors without the value come last in both directions; equal ones keep their order. */
export function orderByTrend(
  trends: Trends,
  { monitorIds, by, descending }: { monitorIds: readonly number[]; by: "p95" | "p95Change"; descending: boolean },
): number[] {
  const valueOf = (id: number) => (by === "p95" ? (trends.get(id)?.lastMs ?? null) : changeOf(trends.get(id)));
  return sortByNumber(monitorIds, valueOf, descending);
}
