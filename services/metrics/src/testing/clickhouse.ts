import { silentLog } from "@sonde/kit/service/log";
import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { type Access, createAccess } from "../clickhouse/access.ts";
import { type Engine, startEngine } from "../clickhouse/embedded.ts";
import { type ClickHouse, connectEngine } from "../clickhouse/open.ts";
import type { Context } from "../context.ts";
import type { Retention } from "../clickhouse/retention.ts";

export const retention: Retention = { rawDays: 30, rollupDays: 400 };

export const noMaintenance: Context["maintenance"] = { spansOf: () => [] };

export type TestClickHouse = { clickhouse: ClickHouse; access: Access; stop(): Promise<void> };

/** One engine for all files of a process, since a process can have only one data directory. Ends with the process. */
let engine: Promise<Engine> | undefined;
const startShared = async () => startEngine(await mkdtemp(join(inject("testFolder"), "clickhouse-")));

/** Creates an empty database in the embedded ClickHouse. `close` drops it. */
export async function openDatabase(): Promise<ClickHouse> {
  engine ??= startShared();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const admin = await connectEngine(await engine);
  await admin.writer.command({ query: `CREATE DATABASE ${name}` });
  const clickhouse = await connectEngine(await engine, name);
  return {
    ...clickhouse,
    close: async () => {
      await clickhouse.close();
      await admin.writer.command({ query: `DROP DATABASE ${name} SYNC` });
      await admin.close();
    },
  };
}

export async function startClickHouse(kept = retention): Promise<TestClickHouse> {
  const clickhouse = await openDatabase();
  const access = createAccess(clickhouse, kept, silentLog);
  await access.prepare();
  return { clickhouse, access, stop: () => clickhouse.close() };
}

export async function rowsOf<Row>(clickhouse: ClickHouse, query: string): Promise<Row[]> {
  return (await clickhouse.reader.query({ query, format: "JSONEachRow" })).json<Row>();
}
