import type { MonitorUptime } from "@sonde/proto/rpc/metrics";
import { sortByNumber } from "@sonde/kit/sort-by-number";
import { maxRows } from "../clickhouse/open.ts";
import type { Context } from "../context.ts";
import { hourMs, dayMs, dayOf, hourOf } from "../rollups/instants.ts";
import { selectRecent, type SlotSums, selectSettled } from "./store.ts";
import { selectTouchedHours } from "../rollups/roll.ts";

/**
 * Up slots / seen slots in percent: `h24` over the present hour and the 23 before it, `d30` over the UTC days of the
 * 30-day history. Monitors without data are absent. No ids: all monitors together, as id 0. Sums older than a few
 * minutes are cached for up to a minute and a half.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export function createUptimes(ctx: Context): (ids: readonly number[]) => Promise<MonitorUptime[]> {
  let kept: SettledSums | null = null;
  return async (ids) => {
    const monitorIds = ids.length === 0 ? null : [...new Set(ids)].slice(0, maxRows);
    const settled = (kept = settledAt(ctx.clock.now(), kept));
    await fillSettled(ctx, settled, monitorIds);
    const { untilMs, presentHour, sums } = settled;
    const recent = await ctx.read((client) =>
      selectRecent(client, { monitorIds, fromMs: untilMs, toMs: presentHour + hourMs }),
    );
    const places = new Map(recent.ids.map((id, place) => [monitorIds === null ? null : id, place]));
    return (monitorIds ?? [null]).flatMap((id) => {
      const place = places.get(id) ?? -1;
      const [recentUp, recentSeen] = [recent.up[place] ?? 0, recent.seen[place] ?? 0];
      const settledSeen = sums.get(id) ?? nothing;
      const [dayUp, daySeen] = [settledSeen.dayUp + recentUp, settledSeen.daySeen + recentSeen];
      const [up, seen] = [settledSeen.up + recentUp, settledSeen.seen + recentSeen];
      if (seen === 0) return [];
      return [{ monitorId: id ?? 0, h24: daySeen > 0 ? (100 * dayUp) / daySeen : undefined, d30: (100 * up) / seen }];
    });
  };
}

/** Results of older slots are stored as a rule: their sums are kept in memory. */
const recentMs = 90_000;
/** How long sums are kept; later, corrected or deleted rows count from then on. */
const keptMs = 90_000;

/** Sums of checks before one instant by monitor; those of all monitors as one have the id null. */
type SettledSums = { untilMs: number; presentHour: number; sums: Map<number | null, SlotSums> };

/** Sums that may be used at this instant: those of `before`, or none yet. */
function settledAt(nowMs: number, before: SettledSums | null): SettledSums {
  const presentHour = hourOf(nowMs);
  const ageMs = before === null ? -1 : nowMs - recentMs - before.untilMs;
  if (before?.presentHour === presentHour && ageMs >= 0 && ageMs < keptMs) return before;
  return { untilMs: nowMs - recentMs, presentHour, sums: new Map() };
}

/** Reads the sums of those monitors that have none yet; null: of all as one. */
async function fillSettled(ctx: Context, settled: SettledSums, ids: readonly number[] | null): Promise<void> {
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

const nothing = addSeen([]);

/** The number of monitors in one query of uptime. */
const atOnce = 2_000;

/**
 * Monitors by their uptime of 24 hours; those without one are last in both directions, and equal ones keep their order.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function orderByUptime(
  uptimesOf: (ids: readonly number[]) => Promise<readonly MonitorUptime[]>,
  { monitorIds, descending }: { monitorIds: readonly number[]; descending: boolean },
): Promise<number[]> {
  const known = new Map<number, number | undefined>();
  for (let first = 0; first < monitorIds.length; first += atOnce) {
    const uptimes = await uptimesOf(monitorIds.slice(first, first + atOnce));
    for (const { monitorId, h24 } of uptimes) known.set(monitorId, h24);
  }
  return sortByNumber(monitorIds, (id) => known.get(id) ?? null, descending);
}
