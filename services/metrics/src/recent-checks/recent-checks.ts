import { tenths } from "@sonde/kit/figures";
import { type MaintenanceSpan, spanAt } from "@sonde/kit/maintenance/spans";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";
import { type RecentCheck, type RecentCheckStatus, recentChecksShown } from "@sonde/proto/http/monitors/recent-checks";
import type { Context } from "../context.ts";
import { underwayMs } from "../history/history.ts";
import { dayMs } from "../rollups/instants.ts";
import { newestSlots } from "../timelines/due.ts";
import { type MonitorsSince, type SeenSlots, selectSlots } from "./store.ts";

/** `inMaintenance` is true or absent. */
export type FoundCheck = {
  atMs: number;
  status: RecentCheckStatus;
  inMaintenance?: true | undefined;
  responseTimeMs?: number;
};
type MonitorRecentChecks = { monitorId: number; recentChecks: FoundCheck[] };

/** How far to look back while the due times of slots are unknown. */
const unknownReachMs = dayMs;
const leastReachMs = 60_000;

/**
 * The newest slots of monitors, oldest first: those that were due by their timelines, and others that were run. A slot
 * is `down` if more than half of the locations that ran it failed, by the rule that decides a monitor's shown state;
 * `none` if it was not run. One in maintenance is marked as well. Manual checks are no slots, and there are none in
 * paused time or before the raw checks that are kept.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function monitorRecentChecks(ctx: Context, ids: readonly number[]): Promise<MonitorRecentChecks[]> {
  const nowMs = ctx.clock.now();
  const oldestMs = nowMs - ctx.retention.rawDays * dayMs;
  const wanted = [...new Set(ids)].map((monitorId) => {
    const timeline = ctx.timelines.get(monitorId);
    const due = timeline ? newestSlots(timeline, oldestMs, nowMs - underwayMs, recentChecksShown) : [];
    return { monitorId, due, reachMs: timeline ? nowMs - firstNeeded(timeline, due) : unknownReachMs };
  });
  const reaches = reachesOf(wanted, nowMs, oldestMs);
  const seen = await ctx.read((client) => selectSlots(client, reaches, recentChecksShown));
  const byMonitor = new Map(seen.map((slots) => [slots.monitorId, slots]));
  return wanted.map(({ monitorId, due }) => {
    const windows = ctx.maintenance.spansOf("monitor", monitorId);
    return { monitorId, recentChecks: merge(due, byMonitor.get(monitorId), windows) };
  });
}

/** Where to start reading: a new monitor ran its first slot at once, just before its first span. */
function firstNeeded({ spans: [first] }: MonitorTimeline, due: readonly number[]): number {
  if (due.length === recentChecksShown || first === undefined) return due.at(-1) ?? 0;
  return first.fromMs - first.intervalMs;
}

/** Monitors that look back about as far are read together, each at most twice as far as it needs. */
function reachesOf(
  wanted: readonly { monitorId: number; reachMs: number }[],
  nowMs: number,
  oldestMs: number,
): MonitorsSince[] {
  // A timeline may come from a clock that is ahead.
  const groups = Map.groupBy(wanted, ({ reachMs }) => Math.ceil(Math.log2(Math.max(leastReachMs, reachMs))));
  return [...groups].map(([power, group]) => ({
    fromMs: Math.max(oldestMs, nowMs - 2 ** power),
    monitorIds: group.map(({ monitorId }) => monitorId),
  }));
}

/** A slot that was run is marked as its rows are, one that was not as the present windows are. */
function merge(due: readonly number[], seen: SeenSlots | undefined, windows: readonly MaintenanceSpan[]): FoundCheck[] {
  const recentChecks = new Map<number, FoundCheck>(
    due.map((atMs) => {
      const inMaintenance = spanAt(windows, atMs) !== undefined || undefined;
      return [atMs, { atMs, status: "none", inMaintenance }];
    }),
  );
  for (const [index, atMs] of seen?.slots.entries() ?? []) {
    const status: RecentCheckStatus = seen?.down[index] === 1 ? "down" : "up";
    const inMaintenance = seen?.maintenance[index] === 1 || undefined;
    recentChecks.set(atMs, { atMs, status, inMaintenance, responseTimeMs: seen?.responses[index] ?? 0 });
  }
  return [...recentChecks.values()].sort((left, right) => left.atMs - right.atMs).slice(-recentChecksShown);
}

/** A slot as the API shows it. */
export const presentRecentCheck = ({ atMs, status, responseTimeMs, inMaintenance }: FoundCheck): RecentCheck => ({
  at: new Date(atMs).toISOString(),
  status,
  responseTime: responseTimeMs === undefined ? undefined : tenths(responseTimeMs),
  inMaintenance,
});
