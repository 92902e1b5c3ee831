import { slices } from "@sonde/kit/concurrency/slices";
import type { TargetDays } from "@sonde/proto/rpc/metrics";
import type { MaintenanceSpan } from "@sonde/domain/maintenance/spans";
import { invalid } from "@sonde/kit/errors";
import { type Due, dueBetween, expectedWith } from "../timelines/coverage.ts";
import { selectUnseen } from "../timelines/unseen.ts";
import type { Context } from "../context.ts";
import { dateText, dayMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { rowsOfAll, type Statement } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import { scheduledChecks } from "../rollups/figures.ts";
import {
  checkParameters,
  checksWhere,
  dayParameters,
  daysWhere,
  hourParameters,
  hoursWhere,
  rawDaysFrom,
  type RollupSources,
} from "../rollups/sources.ts";
import { underwayMs } from "../history/history.ts";

type MonitorDaysInput = { monitorIds: readonly number[]; firstDay: number; dayCount: number };

/**
 * Counts due, seen and up slots for each UTC day, and how long each monitor existed, was in maintenance and was paused.
 * Omits unknown monitors.
 * @throws AppError `unavailable` while ClickHouse is unavailable, `invalid` for more than 500 monitors or 100 days
 */
export async function monitorDays(ctx: Context, { monitorIds, ...days }: MonitorDaysInput): Promise<TargetDays[]> {
  checkCount("monitorIds", monitorIds.length);
  const { firstMs, dayCount, retainedFromMs } = readRange(ctx, days);
  const nowMs = ctx.clock.now();
  const timelines = [...new Set(monitorIds)].flatMap((id) => ctx.timelines.get(id) ?? []);
  if (timelines.length === 0) return [];
  const endMs = firstMs + dayCount * dayMs;
  const knownIds = timelines.map(({ monitorId }) => monitorId);
  const dueInRows = timelines.flatMap(({ dueInRows, monitorId }) => (dueInRows ? [monitorId] : []));
  const [pieces, unseen] =
    retainedFromMs >= endMs
      ? [[], new Map<number, number[]>()]
      : await ctx.read(async (client) => {
          const touched = await selectTouchedHours(client, retainedFromMs);
          const rawHours = [...new Set([...touched, hourOf(nowMs)])].filter((hour) => hour < endMs);
          const span = { monitorIds: knownIds, fromMs: retainedFromMs, toMs: endMs, rawHours };
          return Promise.all([selectSeenDays(client, span), selectUnseen(client, dueInRows, retainedFromMs)]);
        });
  const seenOf = Map.groupBy(pieces, ({ monitorId }) => monitorId);
  const retainedFromDay = Math.round((retainedFromMs - firstMs) / dayMs);
  const answer: TargetDays[] = [];
  // Hundreds of monitors with hundreds of windows each would block the event loop for too long.
  const slice = slices();
  for (const timeline of timelines) {
    await slice();
    const { monitorId } = timeline;
    const due = dueOfDays(timeline, ctx.maintenance.spansOf("monitor", monitorId), {
      firstMs,
      dayCount,
      retainedFromMs,
      nowMs,
      unseen: unseen.get(monitorId),
    });
    const seen = Array.from({ length: dayCount }, () => 0);
    const up = seen.slice();
    for (const piece of seenOf.get(monitorId) ?? []) {
      for (const [index, day] of piece.days.entries()) {
        seen[retainedFromDay + day]! += piece.seen[index] ?? 0;
        up[retainedFromDay + day]! += piece.up[index] ?? 0;
      }
    }
    const expected = due.expected.map((count, day) => expectedWith(timeline, count, seen[day] ?? 0));
    answer.push({ targetId: monitorId, expected, seen, up, ...minutesOf(due) });
  }
  await slice();
  return answer;
}

type DueRange = {
  firstMs: number;
  dayCount: number;
  retainedFromMs: number;
  nowMs: number;
  unseen?: readonly number[] | undefined;
};

export function dueOfDays(
  timeline: Parameters<typeof dueBetween>[0],
  maintenance: readonly MaintenanceSpan[],
  { firstMs, dayCount, retainedFromMs, nowMs, unseen }: DueRange,
): Due {
  const edges = Array.from({ length: dayCount + 1 }, (_, day) =>
    Math.max(retainedFromMs, Math.min(firstMs + day * dayMs, nowMs)),
  );
  return dueBetween(timeline, maintenance, edges, nowMs - underwayMs, unseen);
}

const minuteMs = 60_000;

/** Rounds cumulatively, so that maintenance and pauses can add up to all monitored minutes. */
export function minutesOf({ monitoredMs, maintenanceMs, pausedMs }: Omit<Due, "expected">) {
  const whole = (ms: number) => Math.floor(ms / minuteMs);
  return {
    monitoredMinutes: monitoredMs.map(whole),
    maintenanceMinutes: maintenanceMs.map((ms, day) => whole(ms + (pausedMs[day] ?? 0)) - whole(pausedMs[day] ?? 0)),
    pausedMinutes: pausedMs.map(whole),
  };
}

const maxTargets = 500;
const maxDays = 100;
const lastDay = 65_535;

type DayRange = {
  firstMs: number;
  dayCount: number;
  retainedFromMs: number;
};

/** @throws AppError `invalid` if the range is too large */
export function readRange(
  ctx: Pick<Context, "clock" | "retention">,
  { firstDay, dayCount }: { firstDay: number; dayCount: number },
): DayRange {
  if (dayCount < 1 || dayCount > maxDays) throw refuse("dayCount");
  if (firstDay + dayCount > lastDay) throw refuse("firstDay");
  const oldestMs = ctx.clock.now() - ctx.retention.rollupDays * dayMs;
  const firstMs = firstDay * dayMs;
  return { firstMs, dayCount, retainedFromMs: Math.max(firstMs, Math.ceil(oldestMs / dayMs) * dayMs) };
}

/** @throws AppError `invalid` if there are too many */
export function checkCount(path: string, count: number): void {
  if (count > maxTargets) throw refuse(path);
}

const refuse = (path: string) => invalid([{ path, message: "The request is not valid" }]);

export const ofMonitors = "monitor_id IN {monitorIds:Array(UInt32)}";

/** A monitor's seen and up slots by day, counted from the first (0), as parallel arrays; days may occur twice. */
type SeenDays = { monitorId: number; days: number[]; seen: number[]; up: number[] };

/** A monitor may occur up to three times; add the counts. Arrays keep the number of rows small. */
async function selectSeenDays(
  client: ClickHouseClient,
  { monitorIds, ...sources }: RollupSources & { monitorIds: readonly number[] },
): Promise<SeenDays[]> {
  const firstDay = dateText(sources.fromMs);
  const lists = (rows: string) => `SELECT monitorId, groupArray(nth) AS days, groupArray(seen) AS seen,
    groupArray(up) AS up FROM (${rows}) GROUP BY monitorId`;
  const dayNumber = (day: string) => `toUInt16(${day} - {firstDay:Date}) AS nth`;
  const days: Statement = [
    lists(`SELECT r.monitor_id AS monitorId, ${dayNumber("r.day")}, r.seen AS seen, r.seen - r.failed AS up
      FROM check_days AS r FINAL WHERE ${daysWhere} AND ${ofMonitors}`),
    dayParameters(sources),
  ];
  const hours: Statement = [
    lists(`SELECT r.monitor_id AS monitorId, ${dayNumber("toDate(r.hour)")}, r.seen AS seen,
        r.seen - r.failed AS up
      FROM check_hours AS r FINAL
      WHERE ${hoursWhere} AND toDate(hour) IN {rawDays:Array(Date)} AND ${ofMonitors}`),
    {
      ...hourParameters({ ...sources, fromMs: rawDaysFrom(sources) }),
      rawDays: dayParameters(sources).rawDays,
    },
  ];
  const checks: Statement = [
    lists(`SELECT c.monitor_id AS monitorId, ${dayNumber("toDate(c.slot)")}, toUInt32(count()) AS seen,
        toUInt32(countIf(c.up)) AS up
      FROM ${scheduledChecks(`${checksWhere} AND ${ofMonitors}`)} GROUP BY monitorId, nth`),
    checkParameters(sources),
  ];
  return rowsOfAll(client, [days, hours, checks], { monitorIds, firstDay });
}
