import type { Context } from "../context.ts";
import { dayMs } from "../rollups/instants.ts";
import { selectResponseTimes } from "./store.ts";

/**
 * The response time, in milliseconds, below which 95 % of a monitor's scheduled checks of the last 24 hours stayed,
 * exact, failed ones too. Monitors without any are absent.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function monitorResponseTimes(
  ctx: Pick<Context, "clock" | "read">,
  ids: readonly number[],
): Promise<{ monitorId: number; p95Ms: number }[]> {
  if (ids.length === 0) return [];
  const nowMs = ctx.clock.now();
  const monitorIds = [...new Set(ids)];
  return ctx.read((client) => selectResponseTimes(client, { monitorIds, fromMs: nowMs - dayMs, toMs: nowMs }));
}
