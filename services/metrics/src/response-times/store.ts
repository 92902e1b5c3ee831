import type { ClickHouseClient } from "@clickhouse/client";
import { response, scheduledChecks, slotRange } from "../rollups/figures.ts";
import { instantText } from "../rollups/instants.ts";

export type ResponseTimes = { monitorId: number; p95Ms: number };

/** Percentiles of monitors' scheduled checks in [from, to), from the checks themselves; monitors without any are absent. */
export async function selectResponseTimes(
  client: ClickHouseClient,
  { monitorIds, fromMs, toMs }: { monitorIds: readonly number[]; fromMs: number; toMs: number },
): Promise<ResponseTimes[]> {
  const answer = await client.query({
    query: `SELECT c.monitor_id AS monitorId, quantileExactInclusive(0.95)(${response}) / 10 AS p95Ms
      FROM ${scheduledChecks(`monitor_id IN {monitorIds:Array(UInt32)} AND ${slotRange}`)}
      GROUP BY monitorId`,
    query_params: { monitorIds, from: instantText(fromMs), to: instantText(toMs) },
    format: "JSONEachRow",
  });
  return answer.json<ResponseTimes>();
}
