import { slices } from "@sonde/kit/concurrency/slices";
import type { Context } from "../context.ts";
import { hourMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { selectHourMeans } from "./monitor-store.ts";
import { checkCount } from "./range.ts";

type Sparklines = { firstHourMs: number; monitors: { monitorId: number; avgMs: number[] }[] };

const hourCount = 24;

/**
 * Mean response times of the present hour and the 23 before it, over all scheduled checks, failed ones too; -1 for an
 * hour without any. Monitors without any are absent.
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
