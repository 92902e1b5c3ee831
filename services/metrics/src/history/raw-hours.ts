import { newestFault, response, scheduledChecks } from "../rollups/figures.ts";
import { histogramOf } from "../rollups/histogram.ts";
import { noPhase } from "../rollups/phases.ts";
import { checkParameters, checksWhere } from "../rollups/sources.ts";
import { ofMonitor, type ReadFigures } from "./store.ts";

/** Checks of an hour, one list a column, side by side; times in milliseconds, the rest of them in tenths. */
type RawHour = {
  atMs: number;
  slots: number[];
  lateness: number[];
  rechecks: number[];
  ups: boolean[];
  tenths: number[];
  phases: [number[], number[], number[], number[]];
  fault: string;
};

/**
 * The figures of hours that are not rolled up, in no order. Checks come as they are and are counted here: ClickHouse
 * takes longer to plan sums, maxima and histograms than to answer all this.
 */
export const selectRaw: ReadFigures = async (client, { monitorId, ...sources }) => {
  const answer = await client.query({
    query: `SELECT toUnixTimestamp(toStartOfHour(c.slot)) * 1000. AS atMs,
        groupArray(toFloat64(toUnixTimestamp64Milli(c.slot))) AS slots, groupArray(c.lateness) AS lateness,
        groupArray(c.recheck_after) AS rechecks, groupArray(c.up) AS ups, groupArray(${response}) AS tenths,
        [groupArray(c.dns), groupArray(c.connect), groupArray(c.tls), groupArray(c.first_byte)] AS phases,
        ${newestFault} AS fault
      FROM ${scheduledChecks(`${ofMonitor} AND ${checksWhere}`)} GROUP BY atMs`,
    query_params: { monitorId, ...checkParameters(sources) },
    format: "JSONEachRow",
  });
  return (await answer.json<RawHour>()).map(({ atMs, slots, lateness, rechecks, ups, tenths, phases, fault }) => {
    const known = phases.map((values) => values.filter((value) => value !== noPhase));
    return {
      ...histogramOf(tenths),
      atMs,
      seen: tenths.length,
      up: ups.filter(Boolean).length,
      max: tenths.reduce((max, value) => Math.max(max, value), 0),
      sum: sumOf(tenths),
      phaseSums: known.map(sumOf),
      phaseCounts: known.map(({ length }) => length),
      lastCheckedAtMs: slots.reduce((last, slot, nth) => Math.max(last, slot + lateness[nth]! + rechecks[nth]!), 0),
      lastError: fault,
    };
  });
};

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
