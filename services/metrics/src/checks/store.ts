import type { ClickHouseClient } from "@clickhouse/client";
import { columns, type Row, selectStored, type StoredCheck } from "./row.ts";

/** Inserts rows as one synchronous block; returns once they are on disk. */
export async function insertChecks(client: ClickHouseClient, rows: readonly Row[]): Promise<void> {
  await client.insert({ table: "checks", columns: [...columns], values: rows, format: "JSONCompactEachRow" });
}

export type ChecksRange = { monitorId: number; fromMs: number; beforeMs: number; limit: number };

/** Results of a monitor whose slots lie in [from, before), newest first. */
export async function selectChecks(client: ClickHouseClient, range: ChecksRange): Promise<StoredCheck[]> {
  const answer = await client.query({
    query: `SELECT ${selectStored} FROM checks FINAL
      WHERE monitor_id = {monitorId:UInt32}
        AND slot >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
        AND slot < fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC')
      ORDER BY slot DESC, location, manual LIMIT {limit:UInt32}`,
    query_params: { ...range },
    format: "JSONEachRow",
  });
  return answer.json<StoredCheck>();
}
