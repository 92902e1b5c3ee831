import type { ClickHouseClient } from "@clickhouse/client";
import { type CheckRowValues, checkColumns } from "./row.ts";

/** Inserts check results as one synchronous block; resolves after they are on disk. */
export async function insertChecks(client: ClickHouseClient, rows: readonly CheckRowValues[]): Promise<void> {
  await client.insert({ table: "checks", columns: [...checkColumns], values: rows, format: "JSONCompactEachRow" });
}
