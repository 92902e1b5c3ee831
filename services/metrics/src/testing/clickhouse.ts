import { silentLog } from "@sonde/kit/service/log";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Access, createAccess } from "../clickhouse/access.ts";
import { type ClickHouse, openClickHouse } from "../clickhouse/open.ts";
import type { Context } from "../context.ts";
import type { Retention } from "../clickhouse/retention.ts";

export const retention: Retention = { rawDays: 30, rollupDays: 400 };

export const noMaintenance: Context["maintenance"] = { spansOf: () => [] };

export type TestClickHouse = { clickhouse: ClickHouse; access: Access; stop(): Promise<void> };

/** An embedded ClickHouse with the schema; a process can have one at a time. */
export async function startClickHouse(): Promise<TestClickHouse> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-metrics-"));
  const clickhouse = await openClickHouse({ dataDir: join(folder, "clickhouse") });
  const access = createAccess(clickhouse, retention, silentLog);
  await access.prepare();
  return {
    clickhouse,
    access,
    stop: async () => {
      await clickhouse.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Rows of a query, as they are. */
export async function rowsOf<Row>(clickhouse: ClickHouse, query: string): Promise<Row[]> {
  return (await clickhouse.reader.query({ query, format: "JSONEachRow" })).json<Row>();
}
