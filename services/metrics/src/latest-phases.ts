import type { MonitorPhases } from "@sonde/proto/rpc/metrics";
import { rowsOf } from "./clickhouse/rows.ts";
import type { Context } from "./context.ts";
import { instantText } from "./rollups/instants.ts";
import { noPhase, phases, response, scheduledChecks, slotRange } from "./rollups/figures.ts";

const recentMs = 15 * 60_000;

/**
 * Uses the newest successful scheduled check within 15 minutes, outside maintenance; omits monitors without one.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function latestPhases(
  ctx: Pick<Context, "clock" | "read">,
  monitorIds: readonly number[],
): Promise<MonitorPhases[]> {
  if (monitorIds.length === 0) return [];
  const nowMs = ctx.clock.now();
  const values = [...phases.map((phase) => `c.${phase}`), response].map((column) => `toFloat64(${column})`);
  const rows = await ctx.read((client) =>
    rowsOf<{ monitorId: number; newest: [number, number, number, number, number] }>(
      client,
      `SELECT c.monitor_id AS monitorId, argMax([${values.join(", ")}], c.slot) AS newest
        FROM ${scheduledChecks(`monitor_id IN {monitorIds:Array(UInt32)} AND ${slotRange} AND c.up`)}
        GROUP BY monitorId`,
      { monitorIds, from: instantText(nowMs - recentMs), to: instantText(nowMs) },
    ),
  );
  const ms = (tenths: number) => (tenths === noPhase ? undefined : tenths / 10);
  return rows.map(({ monitorId, newest: [dns, connect, tls, firstByte, total] }) => ({
    monitorId,
    dnsMs: ms(dns),
    connectMs: ms(connect),
    tlsMs: ms(tls),
    firstByteMs: ms(firstByte),
    totalMs: total / 10,
  }));
}
