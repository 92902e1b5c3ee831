import type { Context } from "../context.ts";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/marks.ts";
import { type SlotSums, selectSettled } from "./store.ts";

/** Results of older slots are stored as a rule: their sums are kept in memory. */
const recentMs = 90_000;
/** How long sums are kept; later, corrected or deleted rows count from then on. */
const keptMs = 90_000;

/** Sums of checks before one instant by monitor; those of all monitors as one have the id null. */
export type SettledSums = { untilMs: number; presentHour: number; sums: Map<number | null, SlotSums> };

/** Sums that may be used at this instant: those of `before`, or none yet. */
export function settledAt(nowMs: number, before: SettledSums | null): SettledSums {
  const presentHour = hourOf(nowMs);
  const ageMs = before === null ? -1 : nowMs - recentMs - before.untilMs;
  if (before?.presentHour === presentHour && ageMs >= 0 && ageMs < keptMs) return before;
  return { untilMs: nowMs - recentMs, presentHour, sums: new Map() };
}

/** Reads the sums of those monitors that have none yet; null: of all as one. */
export async function fillSettled(ctx: Context, settled: SettledSums, ids: readonly number[] | null): Promise<void> {
  const { untilMs, presentHour, sums } = settled;
  const missing = (ids ?? [null]).filter((id) => !sums.has(id));
  if (missing.length === 0) return;
  const fromMs = dayOf(presentHour) - 29 * dayMs;
  const pieces = await ctx.read(async (client) => {
    // The hour of `untilMs` is read from its checks even if it is rolled up: only a part of it counts here.
    const rawHours = [...new Set([...(await selectTouchedHours(client, fromMs)), hourOf(untilMs), presentHour])];
    const monitorIds = ids === null ? null : missing.filter((id) => id !== null);
    const dayFromMs = presentHour - 23 * hourMs;
    return selectSettled(client, { monitorIds, fromMs, toMs: presentHour + hourMs, rawHours, dayFromMs, untilMs });
  });
  const parts = Map.groupBy(pieces, ({ monitorId }) => (ids === null ? null : monitorId));
  for (const id of missing) sums.set(id, addSeen(parts.get(id) ?? []));
}

function addSeen(parts: readonly SlotSums[]): SlotSums {
  const sum = (key: keyof SlotSums) => parts.reduce((total, part) => total + part[key], 0);
  return { dayUp: sum("dayUp"), daySeen: sum("daySeen"), up: sum("up"), seen: sum("seen") };
}

export const nothing = addSeen([]);
