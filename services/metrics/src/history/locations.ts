import { percentOf, tenthsOrNull } from "@sonde/kit/figures";
import { type LocationHistory, stepOfPeriod } from "@sonde/proto/http/monitors/checks";
import type { Context } from "../context.ts";
import { rowsOf } from "../clickhouse/rows.ts";
import { allScheduledChecks, countsOfChecks, response, slotRange } from "../rollups/figures.ts";
import { instantText } from "../rollups/instants.ts";
import { periodOf, type StepsInput, stepsOf } from "./periods.ts";

/** A month by the hour, like the chart that is shown with it. */
const maxSteps = 750;

type LocationsInput = Pick<StepsInput, "range" | "from" | "until"> & { monitorId: number };
type LocationPiece = {
  location: string;
  step: number;
  checks: number;
  up: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

/**
 * Reads single checks, because hours and days combine all locations. Times cover successful checks only.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function locationHistories(ctx: Context, { monitorId, ...request }: LocationsInput) {
  const nowMs = ctx.clock.now();
  const { fromMs: requestedFromMs, lastMs } = periodOf(request, nowMs);
  const step = stepOfPeriod(lastMs - requestedFromMs, maxSteps);
  const intervalMs = ctx.timelines.get(monitorId)?.spans.at(-1)?.intervalMs ?? 0;
  const { stepMs, edges } = stepsOf({ ...request, step }, intervalMs, nowMs);
  const [startMs = nowMs, toMs = nowMs] = [edges[0], edges.at(-1)];
  const pieces = await ctx.read((client) =>
    rowsOf<LocationPiece>(
      client,
      `SELECT toString(c.location) AS location,
          toInt32(intDiv(toUnixTimestamp64Milli(c.slot) - {startMs:Int64}, {stepMs:Int64})) AS place,
          if(grouping(place) = 1, -1, place) AS step, ${countsOfChecks("checks", "up")},
          (quantilesExactInclusiveIf(0.5, 0.95)(${response}, c.up) AS quantiles)[1] / 10 AS p50Ms, quantiles[2] / 10 AS p95Ms
        FROM ${allScheduledChecks(`monitor_id = {monitorId:UInt32} AND ${slotRange}`)}
        GROUP BY GROUPING SETS ((location, place), (location))`,
      { monitorId, startMs, stepMs, from: instantText(startMs), to: instantText(toMs) },
    ),
  );
  const byLocation = Map.groupBy(pieces, ({ location }) => location);
  const locations = [...byLocation].map(([name, parts]): LocationHistory => {
    const { checks = 0, up = 0, p50Ms, p95Ms } = parts.find(({ step }) => step === -1) ?? {};
    const times = new Map(parts.map((part) => [part.step, part.p50Ms ?? undefined]));
    return {
      name,
      checks,
      failures: checks - up,
      uptime: percentOf(up, checks),
      p50: tenthsOrNull(p50Ms ?? undefined),
      p95: tenthsOrNull(p95Ms ?? undefined),
      times: edges.slice(1).map((_, at) => tenthsOrNull(times.get(at))),
    };
  });
  return {
    from: new Date(startMs).toISOString(),
    step: Math.round(stepMs / 1000),
    locations: locations.sort((one, other) => (one.name < other.name ? -1 : 1)),
  };
}
