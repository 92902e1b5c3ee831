import { rowsOf } from "./clickhouse/rows.ts";
import { tenths } from "@sonde/kit/figures";
import { type MaintenanceSpan, spanAt } from "@sonde/domain/maintenance/spans";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";
import { type RecentCheck, type RecentCheckStatus, recentChecksShown } from "@sonde/proto/http/monitors/recent-checks";
import type { ClickHouseClient } from "@clickhouse/client";
import type { Context } from "./context.ts";
import { underwayMs } from "./history/history.ts";
import { dayMs, instantText } from "./rollups/instants.ts";
import { newestSlots } from "./timelines/coverage.ts";
import { selectUnseen } from "./timelines/unseen.ts";
import { allScheduledChecks, response } from "./rollups/figures.ts";

type SlotCheck = {
  atMs: number;
  status: RecentCheckStatus;
  inMaintenance?: true | undefined;
  /** Percentage of locations that failed; absent if all agree. */
  failed?: number | undefined;
  responseTimeMs?: number;
};
type MonitorRecentChecks = { monitorId: number; recentChecks: SlotCheck[] };

const unknownReachMs = dayMs;
const minReachMs = 60_000;

/**
 * Returns monitors' newest slots, oldest first: those due by their timelines, and others that ran. A slot is `down` if
 * more than half of its locations failed, the same rule as for a monitor's state, and `none` if it did not run. Slots
 * in maintenance are marked. Excludes manual checks, paused time, and time before the retained raw checks.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function monitorRecentChecks(ctx: Context, ids: readonly number[]): Promise<MonitorRecentChecks[]> {
  const nowMs = ctx.clock.now();
  const oldestMs = nowMs - ctx.retention.rawDays * dayMs;
  const requested = [...new Set(ids)].map((monitorId) => {
    const timeline = ctx.timelines.get(monitorId);
    const due = timeline ? newestSlots(timeline, oldestMs, nowMs - underwayMs, recentChecksShown) : [];
    return { monitorId, due, reachMs: timeline ? nowMs - firstNeeded(timeline, due, nowMs) : unknownReachMs };
  });
  const reaches = reachesOf(requested, nowMs, oldestMs);
  const dueInRows = requested.flatMap(({ monitorId }) => (ctx.timelines.get(monitorId)?.dueInRows ? [monitorId] : []));
  const [seen, unseen] = await ctx.read((client) =>
    Promise.all([selectSlots(client, reaches, recentChecksShown), selectUnseen(client, dueInRows, oldestMs)]),
  );
  const byMonitor = new Map(seen.map((slots) => [slots.monitorId, slots]));
  return requested.map(({ monitorId, due }) => {
    const windows = ctx.maintenance.spansOf("monitor", monitorId);
    return { monitorId, recentChecks: merge(unseen.get(monitorId) ?? due, byMonitor.get(monitorId), windows) };
  });
}

/** Returns where to start reading. A new monitor runs its first slot at once, just before its first span. */
function firstNeeded({ spans, dueInRows }: MonitorTimeline, due: readonly number[], nowMs: number): number {
  const [first, last] = [spans[0], spans.at(-1)];
  // A heartbeat's slots are about one period apart.
  if (dueInRows && last !== undefined) return nowMs - 2 * recentChecksShown * last.intervalMs;
  if (due.length === recentChecksShown || first === undefined) return due.at(-1) ?? 0;
  return first.fromMs - first.intervalMs;
}

/** Groups monitors that look back about equally far; none reads more than twice as far as necessary. */
function reachesOf(
  requested: readonly { monitorId: number; reachMs: number }[],
  nowMs: number,
  oldestMs: number,
): MonitorsSince[] {
  // `reachMs` may be negative: another clock wrote the timeline.
  const groups = Map.groupBy(requested, ({ reachMs }) => Math.ceil(Math.log2(Math.max(minReachMs, reachMs))));
  return [...groups].map(([power, group]) => ({
    fromMs: Math.max(oldestMs, nowMs - 2 ** power),
    monitorIds: group.map(({ monitorId }) => monitorId),
  }));
}

/** Slots that ran are marked as their rows are; others are marked by the current windows. */
function merge(due: readonly number[], seen: SeenSlots | undefined, windows: readonly MaintenanceSpan[]): SlotCheck[] {
  const recentChecks = new Map<number, SlotCheck>(
    due.map((atMs) => {
      const inMaintenance = spanAt(windows, atMs) !== undefined || undefined;
      return [atMs, { atMs, status: "none", inMaintenance }];
    }),
  );
  for (const [index, atMs] of seen?.slots.entries() ?? []) {
    const share = seen?.failed[index] ?? 0;
    const status: RecentCheckStatus = share > 50 ? "down" : "up";
    const failed = share > 0 && share < 100 ? share : undefined;
    const inMaintenance = seen?.maintenance[index] === 1 || undefined;
    recentChecks.set(atMs, { atMs, status, failed, inMaintenance, responseTimeMs: seen?.responses[index] ?? 0 });
  }
  return [...recentChecks.values()].sort((left, right) => left.atMs - right.atMs).slice(-recentChecksShown);
}

export const presentRecentCheck = ({
  atMs,
  status,
  failed,
  responseTimeMs,
  inMaintenance,
}: SlotCheck): RecentCheck => ({
  at: new Date(atMs).toISOString(),
  status,
  failed: failed === undefined ? undefined : tenths(failed),
  responseTime: responseTimeMs === undefined ? undefined : tenths(responseTimeMs),
  inMaintenance,
});

type MonitorsSince = { fromMs: number; monitorIds: readonly number[] };

/** A monitor's newest slots that ran, newest first, as parallel arrays; response times are means over the locations. */
type SeenSlots = {
  monitorId: number;
  slots: number[];
  failed: number[];
  maintenance: number[];
  responses: number[];
};

async function selectSlots(
  client: ClickHouseClient,
  reaches: readonly MonitorsSince[],
  maxSlots: number,
): Promise<SeenSlots[]> {
  if (reaches.length === 0) return [];
  // One key range per group, so that other days and monitors are not read.
  const ranges = reaches.map(
    (_, index) => `monitor_id IN {ids${index}:Array(UInt32)} AND slot >= {from${index}:DateTime64(3, 'UTC')}`,
  );
  const bounds = reaches.flatMap(({ fromMs, monitorIds }, index) => [
    [`ids${index}`, monitorIds],
    [`from${index}`, instantText(fromMs)],
  ]);
  return rowsOf(
    client,
    `SELECT monitor_id AS monitorId, groupArray(slotMs) AS slots, groupArray(failedPercent) AS failed,
        groupArray(isMaintenance) AS maintenance, groupArray(responseMs) AS responses
      FROM (
        SELECT c.monitor_id AS monitor_id, toFloat64(toUnixTimestamp64Milli(c.slot)) AS slotMs,
          100 * countIf(NOT c.up) / count() AS failedPercent, toUInt8(max(c.maintenance)) AS isMaintenance,
          avg(${response}) / 10 AS responseMs
        FROM ${allScheduledChecks(`(${ranges.join(" OR ")})`)}
        GROUP BY monitor_id, slotMs ORDER BY slotMs DESC LIMIT {maxSlots:UInt32} BY monitor_id)
      GROUP BY monitor_id`,
    { ...Object.fromEntries(bounds), maxSlots },
  );
}
