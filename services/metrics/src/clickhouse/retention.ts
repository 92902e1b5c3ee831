import { rowsOf } from "./rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";

export type Retention = { rawDays: number; rollupDays: number };

const tables = [
  { table: "checks", column: "toDateTime(slot)", keep: "rawDays" },
  { table: "failed_checks", column: "toDateTime(slot)", keep: "rawDays" },
  { table: "evidence", column: "toDateTime(at)", keep: "rawDays" },
  { table: "paths", column: "toDateTime(at)", keep: "rawDays" },
  { table: "pings", column: "toDateTime(at)", keep: "rawDays" },
  { table: "unseen", column: "toDateTime(slot)", keep: "rollupDays" },
  { table: "check_hours", column: "hour", keep: "rollupDays" },
  { table: "check_days", column: "day", keep: "rollupDays" },
  { table: "samples", column: "toDateTime(at)", keep: "rawDays" },
  { table: "sample_hours", column: "hour", keep: "rollupDays" },
] as const;

/** Updates each table's TTL if it differs. Partitions are dropped whole, after their last row expires. */
export async function applyRetention(client: ClickHouseClient, retention: Retention): Promise<void> {
  for (const { table, column, keep } of tables) {
    const days = Math.trunc(retention[keep]);
    const [row] = await rowsOf<{ sql: string }>(
      client,
      `SELECT create_table_query AS sql FROM system.tables WHERE database = currentDatabase() AND name = {table:String}`,
      { table },
    );
    if (row?.sql.includes(`TTL ${column} + toIntervalDay(${days})`)) continue;
    await client.command({ query: `ALTER TABLE ${table} MODIFY TTL ${column} + toIntervalDay(${days})` });
  }
}
