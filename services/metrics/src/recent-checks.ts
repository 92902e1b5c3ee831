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

/** `inMaintenance` is true or absent. */
type FoundCheck = {
  atMs: number;
  status: RecentCheckStatus;
  inMaintenance?: true | undefined;
  /** Percent of the locations that ran it; absent where they agree. */
  failed?: number | undefined;
  responseTimeMs?: number;
};
type MonitorRecentChecks = { monitorId: number; recentChecks: FoundCheck[] };

/** How far to look back while the due times of slots are unknown. */
const unknownReachMs = dayMs;
const minReachMs = 60_000;

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
    return { monitorId, due, reachMs: timeline ? nowMs - firstNeeded(timeline, due, nowMs) : unknownReachMs };
  });
  const reaches = reachesOf(wanted, nowMs, oldestMs);
  const dueInRows = wanted.flatMap(({ monitorId }) => (ctx.timelines.get(monitorId)?.dueInRows ? [monitorId] : []));
  const [seen, unseen] = await ctx.read((client) =>
    Promise.all([selectSlots(client, reaches, recentChecksShown), selectUnseen(client, dueInRows, oldestMs)]),
  );
  const byMonitor = new Map(seen.map((slots) => [slots.monitorId, slots]));
  return wanted.map(({ monitorId, due }) => {
    const windows = ctx.maintenance.spansOf("monitor", monitorId);
    return { monitorId, recentChecks: merge(unseen.get(monitorId) ?? due, byMonitor.get(monitorId), windows) };
  });
}

/** Where to start reading: a new monitor ran its first slot at once, just before its first span. */
function firstNeeded({ spans, dueInRows }: MonitorTimeline, due: readonly number[], nowMs: number): number {
  const [first, last] = [spans[0], spans.at(-1)];
  // Those of a heartbeat lie about its period apart.
  if (dueInRows && last !== undefined) return nowMs - 2 * recentChecksShown * last.intervalMs;
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
  const groups = Map.groupBy(wanted, ({ reachMs }) => Math.ceil(Math.log2(Math.max(minReachMs, reachMs))));
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
    const share = seen?.failed[index] ?? 0;
    const status: RecentCheckStatus = share > 50 ? "down" : "up";
    const failed = share > 0 && share < 100 ? share : undefined;
    const inMaintenance = seen?.maintenance[index] === 1 || undefined;
    recentChecks.set(atMs, { atMs, status, failed, inMaintenance, responseTimeMs: seen?.responses[index] ?? 0 });
  }
  return [...recentChecks.values()].sort((left, right) => left.atMs - right.atMs).slice(-recentChecksShown);
}

/** A slot as the API shows it. */
export const presentRecentCheck = ({
  atMs,
  status,
  failed,
  responseTimeMs,
  inMaintenance,
}: FoundCheck): RecentCheck => ({
  at: new Date(atMs).toISOString(),
  status,
  failed: failed === undefined ? undefined : tenths(failed),
  responseTime: responseTimeMs === undefined ? undefined : tenths(responseTimeMs),
  inMaintenance,
});

/** Monitors that are read back to the same instant. */
type MonitorsSince = { fromMs: number; monitorIds: readonly number[] };

/** The newest slots that were run, newest first, side by side; the response time is the mean of a slot's locations. */
type SeenSlots = {
  monitorId: number;
  slots: number[];
  failed: number[];
  maintenance: number[];
  responses: number[];
};

/** The results of the newest scheduled slots, up to a maximum per monitor; monitors without any are absent. */
async function selectSlots(
  client: ClickHouseClient,
  reaches: readonly MonitorsSince[],
  most: number,
): Promise<SeenSlots[]> {
  if (reaches.length === 0) return [];
  // One range of the key a group: whole days and the keys of other monitors are not read.
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
        GROUP BY monitor_id, slotMs ORDER BY slotMs DESC LIMIT {most:UInt32} BY monitor_id)
      GROUP BY monitor_id`,
    { ...Object.fromEntries(bounds), most },
  );
}
