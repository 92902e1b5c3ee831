import { rowsOfAll, type Statement } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import { response, scheduledChecks } from "../rollups/figures.ts";
import { dateText, secondText } from "../rollups/instants.ts";
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
import { figuresSql } from "../rollups/stored.ts";

const ofMonitors = "monitor_id IN {monitorIds:Array(UInt32)}";

/** Seen and up slots of a monitor, side by side with the day (from the first, 0) that each counts for; a day may come twice. */
export type SeenDays = { monitorId: number; days: number[]; seen: number[]; up: number[] };

/**
 * Seen and up slots by monitor and day, in pieces: a monitor may come three times, to be added up. Lists rather than
 * rows, so that five hundred monitors are five hundred rows.
 */
export async function selectSeenDays(
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

/** Mean response times of a monitor, side by side with the hour (from the first, 0) that each is of. */
export type HourMeans = { monitorId: number; hours: number[]; meansMs: number[] };

/** Mean response times by monitor and hour, in pieces that share no hour; `fromMs` is the start of an hour. */
export async function selectHourMeans(
  client: ClickHouseClient,
  { monitorIds, ...sources }: RollupSources & { monitorIds: readonly number[] },
): Promise<HourMeans[]> {
  const lists = (rows: string) => `SELECT monitorId, groupArray(step) AS hours, groupArray(mean) AS meansMs
    FROM (${rows}) GROUP BY monitorId`;
  const stepOf = (hour: string) =>
    `toUInt16(intDiv(toUnixTimestamp(${hour}) - toUnixTimestamp({firstHour:DateTime('UTC')}), 3600)) AS step`;
  const hours: Statement = [
    lists(`SELECT f.id AS monitorId, ${stepOf("f.at")}, f.sum / f.seen / 10 AS mean
      FROM (${figuresSql("r.monitor_id AS id, r.hour AS at", "check_hours", `${hoursWhere} AND ${ofMonitors}`)}) AS f`),
    hourParameters(sources),
  ];
  const checks: Statement = [
    lists(`SELECT c.monitor_id AS monitorId, ${stepOf("toStartOfHour(c.slot)")},
        avg(${response}) / 10 AS mean
      FROM ${scheduledChecks(`${checksWhere} AND ${ofMonitors}`)} GROUP BY monitorId, step`),
    checkParameters(sources),
  ];
  return rowsOfAll(client, [hours, checks], { monitorIds, firstHour: secondText(sources.fromMs) });
}
