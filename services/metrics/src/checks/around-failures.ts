import type { ChecksAroundFailures } from "@sonde/proto/rpc/metrics";
import { rowsOf } from "../clickhouse/rows.ts";
import type { Context } from "../context.ts";

const dayMs = 86_400_000;
/** Their response stays below a bus message. */
const maxRows = 12_000;
/** After a gap in the checks, as many of a location show that it recovered. */
const keptAfter = 14;

/**
 * Returns the failures of a monitor with the checks before and after them, oldest first; of too many, the newest.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function checksAroundFailures(
  { clock, retention, read }: Pick<Context, "clock" | "retention" | "read">,
  { monitorId, fromMs, beforeMs, afterMs }: { monitorId: number; fromMs: number; beforeMs: number; afterMs: number },
): Promise<ChecksAroundFailures> {
  const oldestMs = Math.ceil(Math.max(fromMs, clock.now() - retention.rawDays * dayMs));
  const locations = await read((client) =>
    rowsOf<ChecksAroundFailures["locations"][number]>(client, query, {
      monitorId,
      oldestMs,
      beforeMs,
      afterMs,
      keptAfter,
      maxRows,
    }),
  );
  const slots = locations.flatMap(({ checks }) => checks.map(([slotMs = 0]) => slotMs));
  return { fromMs: slots.length < maxRows ? oldestMs : slots.reduce((one, other) => Math.min(one, other)), locations };
}

// A window's frame includes the other locations of its slot. Arrays, because the number of rows in a result is limited.
const query = `
  SELECT location,
    arraySort(groupArray([slotMs, afterMs, responseTimeMs, up, failures, version, manual]))
      AS checks
  FROM (SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY location, lastFailedMs ORDER BY slotMs) AS nth FROM (
      SELECT *, max(if(up = 1, 0, slotMs)) OVER (ORDER BY slotMs) AS lastFailedMs,
        min(if(up = 1, 1e15, slotMs)) OVER (ORDER BY slotMs DESC) AS nextFailedMs FROM (
        SELECT location, toFloat64(toUnixTimestamp64Milli(slot)) AS slotMs, toFloat64(lateness + recheck_after) AS afterMs,
          (toInt64(total) + response_rest) / 10 AS responseTimeMs, toFloat64(checks.up) AS up,
          toFloat64(checks.failures) AS failures, toFloat64(checks.version) AS version,
          toFloat64(checks.manual) AS manual
        FROM checks FINAL
        WHERE monitor_id = {monitorId:UInt32} AND slot >= fromUnixTimestamp64Milli({oldestMs:Int64}, 'UTC')
      )
    ))
    WHERE up = 0 OR (lastFailedMs > 0 AND (nth <= {keptAfter:UInt32} OR slotMs <= lastFailedMs + {afterMs:Float64}))
      OR slotMs >= nextFailedMs - {beforeMs:Float64}
    ORDER BY slotMs DESC LIMIT {maxRows:UInt32}
  )
  GROUP BY location ORDER BY location`;
