import type { MessageInitShape } from "@bufbuild/protobuf";
import type { MonitorUptimeSchema } from "@sonde/proto/gen/metrics/v1/metrics";
import { maxRows } from "../clickhouse/open.ts";
import type { Context } from "../context.ts";
import { dayMs, dayOf, hourMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/marks.ts";
import { selectSeen } from "./store.ts";

type Uptime = MessageInitShape<typeof MonitorUptimeSchema>;

/**
 * Up slots / seen slots in percent: `h24` over the present hour and the 23 before it, `d30` over the UTC days that the
 * 30-day history shows of UTC. Monitors without data are absent. No ids: all monitors together, as id 0.
 * @throws AppError `unavailable` while ClickHouse is away
 */
export async function monitorUptimes(ctx: Context, ids: readonly number[]): Promise<Uptime[]> {
  const nowMs = ctx.clock.now();
  const monitorIds = ids.length === 0 ? null : [...new Set(ids)].slice(0, maxRows);
  const presentHour = hourOf(nowMs);
  const fromMs = dayOf(nowMs) - 29 * dayMs;
  const pieces = await ctx.read(async (client) => {
    const rawHours = [...new Set([...(await selectTouchedHours(client, fromMs)), presentHour])];
    const dayFromMs = presentHour - 23 * hourMs;
    return selectSeen(client, { monitorIds, fromMs, toMs: presentHour + hourMs, rawHours, dayFromMs });
  });
  return [...Map.groupBy(pieces, ({ monitorId }) => monitorId)].flatMap(([monitorId, parts]) => {
    const sum = (key: "dayUp" | "daySeen" | "up" | "seen") => parts.reduce((total, part) => total + part[key], 0);
    const h24 = sum("daySeen") > 0 ? (100 * sum("dayUp")) / sum("daySeen") : undefined;
    const d30 = sum("seen") > 0 ? (100 * sum("up")) / sum("seen") : undefined;
    if (h24 === undefined && d30 === undefined) return [];
    return [{ monitorId, h24, d30 }];
  });
}
