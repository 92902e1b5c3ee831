import type { ClickHouseClient } from "@clickhouse/client";
import { allScheduledChecks, response } from "../rollups/figures.ts";
import { instantText } from "../rollups/instants.ts";

/** Monitors that are read back to the same instant. */
export type MonitorsSince = { fromMs: number; monitorIds: readonly number[] };

/** The newest slots that were run, newest first, side by side; the response time is the mean of a slot's locations. */
export type SeenSlots = {
  monitorId: number;
  slots: number[];
  down: number[];
  maintenance: number[];
  responses: number[];
};

/** The results of the newest scheduled slots, up to a maximum per monitor; monitors without any are absent. */
export async function selectSlots(
  client: ClickHouseClient,
  reaches: readonly MonitorsSince[],
  most: number,
): Promise<SeenSlots[]> {
  if (reaches.length === 0) return [];
  // One range of the key a group: whole days and the keys of other monitors are not read.
  const ranges = reaches.map(
    (_, index) => `monitor_id IN {ids${index}:Array(UInt32)} AND slot >= {from${index}:DateTime64(3, 'UTC')}`,
  );
  const bounds = reaches.flatMap(({ fromMs, monitorIds }, index) => [
    [`ids${index}`, monitorIds],
    [`from${index}`, instantText(fromMs)],
  ]);
  const answer = await client.query({
    query: `SELECT monitor_id AS monitorId, groupArray(slotMs) AS slots, groupArray(isDown) AS down,
        groupArray(isMaintenance) AS maintenance, groupArray(responseMs) AS responses
      FROM (
        SELECT c.monitor_id AS monitor_id, toFloat64(toUnixTimestamp64Milli(c.slot)) AS slotMs,
          toUInt8(2 * countIf(NOT c.up) > count()) AS isDown, toUInt8(max(c.maintenance)) AS isMaintenance,
          avg(${response}) / 10 AS responseMs
        FROM ${allScheduledChecks(`(${ranges.join(" OR ")})`)}
        GROUP BY monitor_id, slotMs ORDER BY slotMs DESC LIMIT {most:UInt32} BY monitor_id)
      GROUP BY monitor_id`,
    query_params: { ...Object.fromEntries(bounds), most },
    format: "JSONEachRow",
  });
  return answer.json<SeenSlots>();
}
