import { slices } from "@sonde/kit/concurrency/slices";
import type { TargetDays } from "@sonde/proto/rpc/metrics";
import type { MaintenanceSpan } from "@sonde/kit/maintenance/spans";
import { type Due, dueBetween } from "../timelines/coverage.ts";
import type { MonitorTimeline } from "@sonde/proto/gen/monitors/v1/definitions";
import type { Context } from "../context.ts";
import { dayMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { selectSeenDays } from "./monitor-store.ts";
import { checkCount, readRange } from "./range.ts";
import { underwayMs } from "../history/history.ts";

type MonitorDaysInput = { monitorIds: readonly number[]; firstDay: number; dayCount: number };

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

/** Days of `dayMs` from `firstMs` on; empty before `keptFromMs` and after the present. */
type DueRange = { firstMs: number; dayCount: number; keptFromMs: number; nowMs: number };

/** What was due of a monitor on each of some days. */
export function dueOfDays(
  timeline: Pick<MonitorTimeline, "monitorId" | "spans">,
  maintenance: readonly MaintenanceSpan[],
  { firstMs, dayCount, keptFromMs, nowMs }: DueRange,
): Due {
  const edges = Array.from({ length: dayCount + 1 }, (_, day) =>
    Math.max(keptFromMs, Math.min(firstMs + day * dayMs, nowMs)),
  );
  return dueBetween(timeline, maintenance, edges, nowMs - underwayMs);
}

const minuteMs = 60_000;

/**
 * Whole minutes of what each day was made of. Rounded by where the parts end, so that a day of nothing but maintenance
 * and pauses has as many minutes of them as it has in all.
 */
export function minutesOf({ monitoredMs, maintenanceMs, pausedMs }: Omit<Due, "expected">) {
  const whole = (ms: number) => Math.floor(ms / minuteMs);
  return {
    monitoredMinutes: monitoredMs.map(whole),
    maintenanceMinutes: maintenanceMs.map((ms, day) => whole(ms + (pausedMs[day] ?? 0)) - whole(pausedMs[day] ?? 0)),
    pausedMinutes: pausedMs.map(whole),
  };
}
