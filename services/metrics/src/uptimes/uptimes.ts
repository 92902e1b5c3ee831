import type { MonitorUptime } from "@sonde/proto/rpc/metrics";
import { maxRows } from "../clickhouse/open.ts";
import type { Context } from "../context.ts";
import { hourMs } from "../rollups/instants.ts";
import { fillSettled, nothing, type SettledSums, settledAt } from "./settled.ts";
import { selectRecent } from "./store.ts";

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
