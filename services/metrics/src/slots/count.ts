import { slices } from "@sonde/kit/concurrency/slices";
import { invalid } from "@sonde/kit/errors";
import type { SlotCounts } from "@sonde/proto/rpc/metrics";
import type { Context } from "../context.ts";
import { minutesOf } from "../days/monitor-days.ts";
import { underwayMs } from "../history/history.ts";
import { cutDays, stepIndexAt } from "../history/periods.ts";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { dueBetween, expectedWith } from "../timelines/coverage.ts";
import { selectUnseen } from "../timelines/unseen.ts";
import { isRaw, selectSlots } from "./store.ts";

type CountSlotsInput = { monitorIds: readonly number[]; edges: readonly number[]; fastMs?: number | undefined };

/** Steps of all monitors together: a response must fit into a message. */
const maxCounts = 20_000;

/**
 * Counts due, seen and up slots between consecutive edges, like `monitorDays`. Omits unknown monitors. Hours that an
 * edge divides are read from single checks. Once these have expired, such an edge moves to the end of its hour: the
 * hour counts for the step in which it begins.
 *
 * `fast` is exact for single checks. For rolled up hours it is read from histograms, so the limit is rounded down to a
 * step of 8 %, and in an hour with checks in maintenance these are assumed to be as fast as the others.
 * @throws AppError `unavailable` while ClickHouse is unavailable; `invalid` for edges that do not ascend or begin before
 *   the retention, and for too many monitors and steps
 */
export async function countSlots(ctx: Context, { monitorIds, edges, fastMs }: CountSlotsInput): Promise<SlotCounts[]> {
  const nowMs = ctx.clock.now();
  const bounds = readEdges(ctx, edges, nowMs);
  const [fromMs = 0, endMs = 0] = [bounds[0], bounds.at(-1)];
  const timelines = [...new Set(monitorIds)].flatMap((id) => ctx.timelines.get(id) ?? []);
  if (timelines.length * (bounds.length - 1) > maxCounts) throw refuse("monitorIds");
  if (timelines.length === 0) return [];
  const knownIds = timelines.map(({ monitorId }) => monitorId);
  const dueInRows = timelines.flatMap(({ monitorId, dueInRows: isInRows }) => (isInRows ? [monitorId] : []));
  const [pieces, unseen] = await ctx.read(async (client) => {
    const divided = bounds.filter((edge) => edge % hourMs !== 0).map(hourOf);
    let rawHours = [...divided, hourOf(nowMs)];
    if (!isRaw({ fromMs, toMs: endMs, rawHours }))
      rawHours = [...(await selectTouchedHours(client, fromMs)), ...rawHours];
    const query = {
      monitorIds: knownIds,
      edges: bounds,
      fastTenths: (fastMs ?? 0) * 10,
      fromMs,
      toMs: endMs,
      rawHours: [...new Set(rawHours)].filter((hour) => hour < endMs),
      hourDays: cutDays(bounds),
    };
    return Promise.all([selectSlots(client, query), selectUnseen(client, dueInRows, fromMs)]);
  });
  const seenOf = Map.groupBy(pieces, ({ monitorId }) => monitorId);
  const dueEdges = bounds.map((edge) => Math.min(edge, nowMs));
  const answer: SlotCounts[] = [];
  const slice = slices();
  for (const timeline of timelines) {
    await slice();
    const { monitorId } = timeline;
    const spans = ctx.maintenance.spansOf("monitor", monitorId);
    const due = dueBetween(timeline, spans, dueEdges, nowMs - underwayMs, unseen.get(monitorId));
    const seen = due.expected.map(() => 0);
    const up = seen.slice();
    const fast = seen.slice();
    for (const piece of seenOf.get(monitorId) ?? []) {
      for (const [index, startMs] of piece.starts.entries()) {
        const step = stepIndexAt(bounds, startMs);
        seen[step]! += piece.seen[index] ?? 0;
        up[step]! += piece.up[index] ?? 0;
        fast[step]! += piece.fast[index] ?? 0;
      }
    }
    const expected = due.expected.map((count, step) => expectedWith(timeline, count, seen[step] ?? 0));
    const counts = { targetId: monitorId, expected, seen, up, ...minutesOf(due) };
    answer.push(fastMs === undefined ? counts : { ...counts, fast });
  }
  return answer;
}

function readEdges({ retention }: Pick<Context, "retention">, edges: readonly number[], nowMs: number): number[] {
  const isAscending = edges.every((edge, index) => index === 0 || edge > (edges[index - 1] ?? edge));
  if (!isAscending || (edges.at(-1) ?? 0) > nowMs + maxAheadMs) throw refuse("edges");
  if ((edges[0] ?? 0) < dayOf(nowMs - retention.rollupDays * dayMs)) {
    const params = { days: retention.rollupDays };
    throw invalid([{ path: "edges", message: "Figures are only kept for {days} days", params }]);
  }
  const rawFromMs = nowMs - retention.rawDays * dayMs;
  return edges.map((edge) => (hourOf(edge) < rawFromMs ? Math.ceil(edge / hourMs) * hourMs : edge));
}

/** The last step may end in the future: it is the current month or year. */
const maxAheadMs = 400 * dayMs;

const refuse = (path: string) => invalid([{ path, message: "The request is not valid" }]);
