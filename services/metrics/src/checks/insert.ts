import type { ClickHouseClient } from "@clickhouse/client";
import { type CheckRowValues, columns } from "./row.ts";

/** Inserts check results as one synchronous block; returns once they are on disk. */
export async function insertChecks(client: ClickHouseClient, rows: readonly CheckRowValues[]): Promise<void> {
  await client.insert({ table: "checks", columns: [...columns], values: rows, format: "JSONCompactEachRow" });
}
