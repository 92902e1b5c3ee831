import { rowsOf } from "./rows.ts";
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from "@clickhouse/client";
import { applySettings, type Engine, startEngine } from "./embedded.ts";
import { ensureReplicated, quickAgent, replicatedTimeoutMs, writingAlone, writingTwice } from "./replicas.ts";

/** Reads and writes go apart, so that a long read never delays an insert of the embedded engine. */
export type ClickHouse = {
  reader: ClickHouseClient;
  writer: ClickHouseClient;
  /** Of a cluster: stores on one server alone what `writer` cannot store on two. */
  loneWriter?: ClickHouseClient;
  /** The embedded engine runs one statement of a connection at a time. */
  readsAtOnce: number;
  /** A further connection of the embedded engine, for statements that would delay readers and writers; a server needs none. */
  connectBeside?: () => Promise<ClickHouseClient>;
  /** Makes the database that the server's address names, where it is not there. */
  ensureDatabase(): Promise<void>;
  close(): Promise<void>;
};

/** A server to reach by HTTP, or a directory for the embedded engine. */
export type ClickHouseTarget = { url: string; isReplicated?: boolean } | { dataDir: string };

/** Most rows that one read may answer. */
export const maxRows = 5_000;

// Blocks are inserted whole and at once: asynchronous inserts double rows under retries.
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
/** What one statement of the embedded engine may take of this process. */
const embedded: ClickHouseSettings = { max_threads: 2, max_memory_usage: String(600 * 2 ** 20) };

const clientOptions = { log: { level: ClickHouseLogLevel.OFF }, application: "sonde-metrics" };

/**
 * Clients of a server or of the embedded engine; the same type, the same statements. A server need not be there yet.
 * @throws when the embedded engine cannot have its directory
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

/** Connects to a started embedded engine; closing the connections leaves the engine running. */
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
    connectBeside: () => connect(writing),
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
        if (isReplicated) throw new Error("CLICKHOUSE_URL names no database, and CLICKHOUSE_REPLICATED needs one");
        return;
      }
      const client = createClient({ ...remote, url: address });
      try {
        if (isReplicated) return await ensureReplicated(client, database);
        // Checked first: a user may have a database of its own and no right to make one.
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
