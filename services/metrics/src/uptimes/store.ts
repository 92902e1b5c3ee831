import { rowsOf, rowsOfAll, type Statement } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import { scheduledChecks, slotRange } from "../rollups/figures.ts";
import { instantText, secondText } from "../rollups/instants.ts";
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

/** Slots of a monitor: of the last 24 hours, and of the whole span. */
export type SlotSums = { dayUp: number; daySeen: number; up: number; seen: number };

export type SettledQuery = RollupSources & {
  /** Null: all monitors as one, with id 0. */
  monitorIds: readonly number[] | null;
  /** The start of an hour; what is at or after it counts as the last 24 hours. */
  dayFromMs: number;
  /** Checks count up to here, where their hour is not rolled up. */
  untilMs: number;
};

const scopes = {
  these: { id: "monitor_id", where: "AND monitor_id IN {monitorIds:Array(UInt32)}" },
  all: { id: "0", where: "" },
} as const;

/** Up and seen slots by monitor, in pieces: one monitor may come three times, to be added up. */
export async function selectSettled(
  client: ClickHouseClient,
  query: SettledQuery,
): Promise<(SlotSums & { monitorId: number })[]> {
  const { monitorIds, dayFromMs, untilMs } = query;
  const { id, where } = scopes[monitorIds === null ? "all" : "these"];
  const dayFrom = secondText(dayFromMs);
  const inDay = "hour >= {dayFrom:DateTime('UTC')}";
  // An hour of a day that comes from `check_days` counts for the last 24 hours alone.
  const inSpan = "toDate(hour) IN {rawDays:Array(Date)}";
  const days: Statement = [
    `SELECT ${id} AS monitorId, 0 AS dayUp, 0 AS daySeen, toFloat64(sum(r.seen - r.failed)) AS up,
        toFloat64(sum(r.seen)) AS seen
      FROM check_days AS r FINAL WHERE ${daysWhere} ${where} GROUP BY monitorId`,
    dayParameters(query),
  ];
  const fromMs = Math.min(rawDaysFrom(query), dayFromMs);
  const hours: Statement = [
    `SELECT ${id} AS monitorId, toFloat64(sumIf(r.seen - r.failed, ${inDay})) AS dayUp,
        toFloat64(sumIf(r.seen, ${inDay})) AS daySeen, toFloat64(sumIf(r.seen - r.failed, ${inSpan})) AS up,
        toFloat64(sumIf(r.seen, ${inSpan})) AS seen
      FROM check_hours AS r FINAL WHERE ${hoursWhere} ${where} GROUP BY monitorId`,
    { ...hourParameters({ ...query, fromMs }), rawDays: dayParameters(query).rawDays, dayFrom },
  ];
  const checks: Statement = [
    `SELECT ${id} AS monitorId, toFloat64(countIf(c.up AND slot >= {dayFrom:DateTime('UTC')})) AS dayUp,
        toFloat64(countIf(slot >= {dayFrom:DateTime('UTC')})) AS daySeen, toFloat64(countIf(c.up)) AS up,
        toFloat64(count()) AS seen
      FROM ${scheduledChecks(`${checksWhere} ${where}`)} GROUP BY monitorId`,
    { ...checkParameters({ ...query, toMs: untilMs }), dayFrom },
  ];
  const ids = monitorIds === null ? {} : { monitorIds };
  return rowsOfAll(client, [days, hours, checks], ids);
}

export type RecentQuery = Pick<SettledQuery, "monitorIds"> & { fromMs: number; toMs: number };

/** Monitors with slots in [from, to), and beside each how many were up and seen. */
export type RecentSlots = { ids: number[]; up: number[]; seen: number[] };

/** Up and seen slots of the last minutes, from the checks. */
export async function selectRecent(
  client: ClickHouseClient,
  { monitorIds, fromMs, toMs }: RecentQuery,
): Promise<RecentSlots> {
  const id = monitorIds === null ? "0" : "monitor_id";
  const { where, parameters } = narrowedTo(monitorIds);
  const [recent] = await rowsOf<RecentSlots>(
    client,
    `SELECT groupArray(id) AS ids, groupArray(ups) AS up, groupArray(slots) AS seen
      FROM (SELECT ${id} AS id, toUInt32(countIf(c.up)) AS ups, toUInt32(count()) AS slots
        FROM ${scheduledChecks(`${slotRange} ${where}`)} GROUP BY id)`,
    { from: instantText(fromMs), to: instantText(toMs), ...parameters },
  );
  return recent ?? { ids: [], up: [], seen: [] };
}

/** Hundreds of ids take longer to bind than rows of a few more monitors to read: close ids become a range. */
function narrowedTo(monitorIds: readonly number[] | null) {
  if (monitorIds === null) return { where: "", parameters: {} };
  const [first, last] = [Math.min(...monitorIds), Math.max(...monitorIds)];
  if (last - first > 2 * monitorIds.length) return { where: scopes.these.where, parameters: { monitorIds } };
  return { where: "AND monitor_id BETWEEN {first:UInt32} AND {last:UInt32}", parameters: { first, last } };
}
