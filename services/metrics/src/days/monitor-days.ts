import { slices } from "@sonde/kit/concurrency/slices";
import type { TargetDays } from "@sonde/proto/rpc/metrics";
import type { Context } from "../context.ts";
import { dayMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/marks.ts";
import { dueOfDays } from "./due-days.ts";
import { minutesOf } from "./minutes.ts";
import { selectSeenDays } from "./monitor-store.ts";
import { checkCount, readRange } from "./range.ts";

export type MonitorDaysInput = { monitorIds: readonly number[]; firstDay: number; dayCount: number };

/**
 * Slots that were due, seen and up on each UTC day, and how long each monitor existed, was in maintenance and paused. A
 * slot that was seen was due: the first one of a new definition is just before its span. Unknown monitors are absent.
 * @throws AppError `unavailable` while ClickHouse is unavailable, `invalid` for more than 500 monitors or 100 days
 */
export async function monitorDays(ctx: Context, { monitorIds, ...days }: MonitorDaysInput): Promise<TargetDays[]> {
  checkCount("monitorIds", monitorIds.length);
  const { firstMs, dayCount, keptFromMs } = readRange(ctx, days);
  const nowMs = ctx.clock.now();
  const timelines = [...new Set(monitorIds)].flatMap((id) => ctx.timelines.get(id) ?? []);
  if (timelines.length === 0) return [];
  const endMs = firstMs + dayCount * dayMs;
  const known = timelines.map(({ monitorId }) => monitorId);
  const pieces =
    keptFromMs >= endMs
      ? []
      : await ctx.read(async (client) => {
          const touched = await selectTouchedHours(client, keptFromMs);
          const rawHours = [...new Set([...touched, hourOf(nowMs)])].filter((hour) => hour < endMs);
          return selectSeenDays(client, { monitorIds: known, fromMs: keptFromMs, toMs: endMs, rawHours });
        });
  const seenOf = Map.groupBy(pieces, ({ monitorId }) => monitorId);
  const keptFromDay = Math.round((keptFromMs - firstMs) / dayMs);
  const answer: TargetDays[] = [];
  // Hundreds of monitors with hundreds of windows each would block the event loop for too long.
  const slice = slices();
  for (const timeline of timelines) {
    await slice();
    const { monitorId } = timeline;
    const due = dueOfDays(timeline, ctx.maintenance.spansOf("monitor", monitorId), {
      firstMs,
      dayCount,
      keptFromMs,
      nowMs,
    });
    const seen = Array.from({ length: dayCount }, () => 0);
    const up = seen.slice();
    for (const piece of seenOf.get(monitorId) ?? []) {
      for (const [index, day] of piece.days.entries()) {
        seen[keptFromDay + day]! += piece.seen[index] ?? 0;
        up[keptFromDay + day]! += piece.up[index] ?? 0;
      }
    }
    const expected = due.expected.map((count, day) => Math.max(count, seen[day] ?? 0));
    answer.push({ targetId: monitorId, expected, seen, up, ...minutesOf(due) });
  }
  await slice();
  return answer;
}
