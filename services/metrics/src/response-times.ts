import { rowsOf } from "./clickhouse/rows.ts";
import type { Context } from "./context.ts";
import { dayMs, instantText } from "./rollups/instants.ts";
import { allScheduledChecks, response, slotRange } from "./rollups/figures.ts";

/**
 * Exact, in milliseconds, over scheduled checks of the last 24 hours including failed ones.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function monitorResponseTimes(
  ctx: Pick<Context, "clock" | "read">,
  ids: readonly number[],
): Promise<{ monitorId: number; p95Ms: number }[]> {
  if (ids.length === 0) return [];
  const nowMs = ctx.clock.now();
  const monitorIds = [...new Set(ids)];
  return ctx.read((client) =>
    rowsOf(
      client,
      `SELECT c.monitor_id AS monitorId, quantileExactInclusive(0.95)(${response}) / 10 AS p95Ms
        FROM ${allScheduledChecks(`monitor_id IN {monitorIds:Array(UInt32)} AND ${slotRange}`)}
        GROUP BY monitorId`,
      { monitorIds, from: instantText(nowMs - dayMs), to: instantText(nowMs) },
    ),
  );
}
