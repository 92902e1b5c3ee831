import { silentLog } from "@sonde/kit/service/log";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Access, createAccess } from "../clickhouse/access.ts";
import { type ClickHouse, openClickHouse } from "../clickhouse/open.ts";
import type { Context } from "../context.ts";
import { startEngine } from "../clickhouse/embedded.ts";
import type { Retention } from "../clickhouse/retention.ts";

import { serveClickHouse } from "./http-clickhouse.ts";
import { clusterConfig, freePort, joinReplication, startKeeper } from "./keeper.ts";

export const retention: Retention = { rawDays: 30, rollupDays: 400 };

export const noMaintenance: Context["maintenance"] = { spansOf: () => [] };

export type TestClickHouse = { clickhouse: ClickHouse; access: Access; stop(): Promise<void> };

/**
 * An embedded ClickHouse with the schema; a process can have one at a time. With `SONDE_TEST_REPLICAS=1` all tables have
 * replicas, of which there is one, so that each statement of the tests is one of such a database.
 */
export async function startClickHouse(): Promise<TestClickHouse> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-metrics-"));
  if (process.env["SONDE_TEST_REPLICAS"] === "1") {
    const { clickhouse, stop } = await startReplicated(folder);
    const { loneWriter: writer = clickhouse.writer } = clickhouse;
    const access = createAccess({ ...clickhouse, writer }, retention, silentLog);
    await access.prepare();
    return { clickhouse: { ...clickhouse, writer }, access, stop };
  }
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

/** A server by HTTP with ZooKeeper beside it, the only one of its cluster. @throws Error where it cannot be had */
export async function startReplicated(
  folder: string,
): Promise<{ clickhouse: ClickHouse; url: string; stop(): Promise<void> }> {
  const keeper = await startKeeper(join(folder, "keeper"));
  const engine = await startEngine(join(folder, "clickhouse"), clusterConfig(keeper, "first"));
  await joinReplication(await freePort());
  const server = await serveClickHouse(engine, 0);
  const url = `http://127.0.0.1:${server.port}`;
  const clickhouse = await openClickHouse({ url: `${url}/history`, isReplicated: true });
  return {
    clickhouse,
    url,
    stop: async () => {
      await clickhouse.close();
      await server.stop();
      // The engine is not closed: it would wait for what the server program alone ends. It ends with the process.
      await keeper.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Rows of a query, as they are. */
export async function rowsOf<Row>(clickhouse: ClickHouse, query: string): Promise<Row[]> {
  return (await clickhouse.reader.query({ query, format: "JSONEachRow" })).json<Row>();
}
