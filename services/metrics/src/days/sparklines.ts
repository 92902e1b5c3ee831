import { slices } from "@sonde/kit/concurrency/slices";
import type { Context } from "../context.ts";
import { hourMs, hourOf, secondText } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { rowsOfAll, type Statement } from "../clickhouse/rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import { allScheduledChecks, response } from "../rollups/figures.ts";
import { checkParameters, checksWhere, hourParameters, hoursWhere, type RollupSources } from "../rollups/sources.ts";
import { figuresSql } from "../rollups/stored.ts";
import { checkCount, ofMonitors } from "./monitor-days.ts";

type Sparklines = { firstHourMs: number; monitors: { monitorId: number; avgMs: number[] }[] };

const hourCount = 24;

/**
 * Returns mean response times of the current hour and the 23 before it, over all scheduled checks including failed
 * ones; -1 for an hour without checks. Omits monitors without any.
 * @throws AppError `unavailable` while ClickHouse is unavailable, `invalid` for more than 500 monitors
 */
export async function monitorSparklines(ctx: Context, ids: readonly number[]): Promise<Sparklines> {
  checkCount("monitorIds", ids.length);
  const monitorIds = [...new Set(ids)];
  const presentHour = hourOf(ctx.clock.now());
  const firstHourMs = presentHour - (hourCount - 1) * hourMs;
  if (monitorIds.length === 0) return { firstHourMs, monitors: [] };
  const pieces = await ctx.read(async (client) => {
    const touched = await selectTouchedHours(client, firstHourMs);
    const rawHours = [...new Set([...touched, presentHour])].filter((hour) => hour <= presentHour);
    return selectHourMeans(client, { monitorIds, fromMs: firstHourMs, toMs: presentHour + hourMs, rawHours });
  });
  const means = new Map<number, number[]>();
  const slice = slices();
  for (const { monitorId, hours, meansMs } of pieces) {
    await slice();
    const avgMs = means.get(monitorId) ?? Array.from({ length: hourCount }, () => -1);
    for (const [index, hour] of hours.entries()) avgMs[hour] = meansMs[index] ?? -1;
    means.set(monitorId, avgMs);
  }
  return { firstHourMs, monitors: [...means].map(([monitorId, avgMs]) => ({ monitorId, avgMs })) };
}

/** A monitor's mean response times by hour, counted from the first (0), as parallel arrays. */
type HourMeans = { monitorId: number; hours: number[]; meansMs: number[] };

/** Selects mean response times; no hour occurs twice. `fromMs` must be the start of an hour. */
async function selectHourMeans(
  client: ClickHouseClient,
  { monitorIds, ...sources }: RollupSources & { monitorIds: readonly number[] },
): Promise<HourMeans[]> {
  const lists = (rows: string) => `SELECT monitorId, groupArray(step) AS hours, groupArray(mean) AS meansMs
    FROM (${rows}) GROUP BY monitorId`;
  const stepOf = (hour: string) =>
    `toUInt16(intDiv(toUnixTimestamp(${hour}) - toUnixTimestamp({firstHour:DateTime('UTC')}), 3600)) AS step`;
  const hours: Statement = [
    lists(`SELECT f.id AS monitorId, ${stepOf("f.at")}, f.sum / (f.seen + f.covered) / 10 AS mean
      FROM (${figuresSql("r.monitor_id AS id, r.hour AS at", "check_hours", `${hoursWhere} AND ${ofMonitors}`)}) AS f`),
    hourParameters(sources),
  ];
  const checks: Statement = [
    lists(`SELECT c.monitor_id AS monitorId, ${stepOf("toStartOfHour(c.slot)")},
        avg(${response}) / 10 AS mean
      FROM ${allScheduledChecks(`${checksWhere} AND ${ofMonitors}`)} GROUP BY monitorId, step`),
    checkParameters(sources),
  ];
  return rowsOfAll(client, [hours, checks], { monitorIds, firstHour: secondText(sources.fromMs) });
}
