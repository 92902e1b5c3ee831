import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { Context } from "../context.ts";
import { toResult } from "./row.ts";
import { selectChecks } from "./store.ts";

const dayMs = 86_400_000;
const maxLimit = 1_000;

export type ListChecksInput = { monitorId: number; beforeMs?: number | undefined; limit: number };

/**
 * Raw results of a monitor, manual ones too, newest first: those before an instant, or the newest of all. Results of
 * the last slot at other locations are included, beyond the limit, since the next page begins before that slot. The
 * range is widened only until it has enough, so that a page of a busy monitor reads one day, not thirty.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function listChecks(ctx: Context, input: ListChecksInput): Promise<CheckResult[]> {
  const { monitorId, endMs, oldestMs, wanted, nowMs } = pageRange(ctx, input);
  for (let days = 1; ; days *= 6) {
    const fromMs = Math.round(Math.max(oldestMs, Math.min(endMs, nowMs) - days * dayMs, 0));
    const rows = await ctx.read((client) =>
      selectChecks(client, { monitorId, fromMs, beforeMs: endMs, limit: wanted }),
    );
    if (rows.length >= wanted || fromMs <= oldestMs) return rows.map(toResult);
  }
}

/** The range of instants of a page, and how many results it has, within what is retained. */
export function pageRange({ clock, retention }: Context, { monitorId, beforeMs, limit }: ListChecksInput) {
  const nowMs = clock.now();
  const latestMs = nowMs + dayMs;
  const endMs = Number.isFinite(beforeMs) ? Math.round(Math.min(Math.max(beforeMs ?? 0, 0), latestMs)) : latestMs;
  const wanted = Math.min(Math.max(limit, 1), maxLimit);
  const oldestMs = Math.max(0, Math.round(nowMs - (retention.rawDays + 1) * dayMs));
  return { monitorId, nowMs, endMs, oldestMs, wanted };
}

/** The first results up to a limit, and those of the last one's slot. */
export function pageOf(results: readonly CheckResult[], wanted: number): CheckResult[] {
  const last = results[wanted - 1];
  return last === undefined ? [...results] : results.filter(({ slotMs }) => slotMs >= last.slotMs);
}
