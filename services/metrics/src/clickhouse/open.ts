import { rowsOf } from "./rows.ts";
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from "@clickhouse/client";
import { applySettings, type Engine, startEngine } from "./embedded.ts";
import { ensureReplicated, quickAgent, replicatedTimeoutMs, writingAlone, writingTwice } from "./replicas.ts";

/** Reads and writes use separate connections, so that a long read never delays an insert into the embedded engine. */
export type ClickHouse = {
  reader: ClickHouseClient;
  writer: ClickHouseClient;
  /** Cluster only: stores rows on one server if `writer` cannot store them on two. */
  loneWriter?: ClickHouseClient;
  /** Maximum concurrent reads; 1 for the embedded engine, whose connections run one statement at a time. */
  readsAtOnce: number;
  /** Embedded engine only: opens another connection, for statements that would delay readers and writers. */
  connectExtra?: () => Promise<ClickHouseClient>;
  ensureDatabase(): Promise<void>;
  close(): Promise<void>;
};

export type ClickHouseTarget = { url: string; isReplicated?: boolean } | { dataDir: string };

export const maxRows = 5_000;

// Blocks are inserted synchronously: asynchronous inserts duplicate rows on retries.
const writing: ClickHouseSettings = {
  async_insert: 0,
  max_partitions_per_insert_block: "0",
  do_not_merge_across_partitions_select_final: 1,
};
const reading: ClickHouseSettings = {
  do_not_merge_across_partitions_select_final: 1,
  max_result_rows: String(maxRows),
  result_overflow_mode: "throw",
};
const embedded: ClickHouseSettings = { max_threads: 2, max_memory_usage: String(600 * 2 ** 20) };

const clientOptions = { log: { level: ClickHouseLogLevel.OFF }, application: "sonde-metrics" };

/**
 * Opens clients for a server or the embedded engine, with the same interface. The server may be unavailable.
 * @throws if the embedded engine cannot use its directory
 */
export async function openClickHouse(target: ClickHouseTarget): Promise<ClickHouse> {
  if ("url" in target) return openServer(target);
  const engine = await startEngine(target.dataDir);
  const clickhouse = await connectEngine(engine);
  return {
    ...clickhouse,
    close: async () => {
      await clickhouse.close();
      engine.close();
    },
  };
}

/** Connects to a running embedded engine. Closing the connections does not stop it. */
export async function connectEngine(engine: Engine, database = "default"): Promise<ClickHouse> {
  const connect = async (settings: ClickHouseSettings) => {
    const client = createClient({ ...clientOptions, connection: engine.connect() });
    await client.command({ query: `USE ${database}` });
    await applySettings(client, { ...embedded, ...settings });
    return client;
  };
  const reader = await connect(reading);
  const writer = await connect(writing);
  return {
    reader,
    writer,
    readsAtOnce: 1,
    connectExtra: () => connect(writing),
    ensureDatabase: async () => {},
    close: () => closeAll(reader, writer),
  };
}

function openServer({ url, isReplicated = false }: Extract<ClickHouseTarget, { url: string }>): ClickHouse {
  const remote = { ...clientOptions, url, request_timeout: 30_000 };
  const address = new URL(url);
  const open = (kind: "read" | "write", clickhouse_settings: ClickHouseSettings) =>
    createClient({
      ...remote,
      ...(isReplicated && { http_agent: quickAgent(address, kind), request_timeout: replicatedTimeoutMs[kind] }),
      clickhouse_settings,
      ...(kind === "write" && { compression: { request: true } }),
    });
  const reader = open("read", reading);
  const writer = open("write", isReplicated ? { ...writing, ...writingTwice } : writing);
  const loneWriter = isReplicated ? open("write", { ...writing, ...writingAlone }) : undefined;
  const database = decodeURIComponent(address.pathname.slice(1));
  address.pathname = "/";
  return {
    reader,
    writer,
    readsAtOnce: Infinity,
    ...(loneWriter && { loneWriter }),
    ensureDatabase: async () => {
      if (database === "") {
        if (isReplicated) throw new Error("CLICKHOUSE_REPLICATED requires a database in CLICKHOUSE_URL");
        return;
      }
      const client = createClient({ ...remote, url: address });
      try {
        if (isReplicated) return await ensureReplicated(client, database);
        // Check first: a user may have a database but no permission to create one.
        const query = "SELECT 1 FROM system.databases WHERE name = {database:String}";
        if ((await rowsOf(client, query, { database })).length > 0) return;
        await client.command({
          query: "CREATE DATABASE IF NOT EXISTS {database:Identifier}",
          query_params: { database },
        });
      } finally {
        await client.close();
      }
    },
    close: () => closeAll(reader, writer, ...(loneWriter ? [loneWriter] : [])),
  };
}

async function closeAll(...clients: ClickHouseClient[]): Promise<void> {
  await Promise.all(clients.map((client) => client.close()));
}
