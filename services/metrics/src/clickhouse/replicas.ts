import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from "@clickhouse/client";
import { ConfigError } from "@sonde/kit/service/config";
import type { Agent as AnyAgent, AgentOptions } from "node:http";
import { Agent } from "@sonde/kit/http/node-http";
import { Agent as TlsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { quoted, rowsOf } from "./rows.ts";

// Replicated ClickHouse: a database with the engine Replicated replicates schema changes to all servers, and its tables
// with Replicated…MergeTree engines replicate the rows.

/** Waits only for servers that are online; others apply changes when they return. */
const changing: ClickHouseSettings = {
  distributed_ddl_output_mode: "none_only_active" as never, // Missing in the client's types.
  mutations_sync: "1",
  lightweight_deletes_sync: "1",
};
/**
 * A row counts as stored when two servers have it. `select_sequential_consistency`, which would make a lagging server
 * reject reads, does not work with parallel inserts, and several replicas of metrics insert at once.
 */
export const writingTwice: ClickHouseSettings = {
  ...changing,
  insert_quorum: "2",
  insert_quorum_parallel: 1,
  insert_quorum_timeout: 5_000,
};
export const writingAlone: ClickHouseSettings = { ...changing, insert_quorum: "0" };

/** Statement timeouts: a server whose machine is gone does not even refuse connections. */
export const replicatedTimeoutMs = { read: 5_000, write: 20_000 } as const;
const connectMs = 2_000;

/** Fails connection attempts quickly, since the next may reach another server. Writers keep one connection. */
export function quickAgent({ protocol }: URL, kind: "read" | "write"): AnyAgent {
  const Base = protocol === "https:" ? TlsAgent : Agent;
  class QuickAgent extends Base {
    override createConnection(
      options: AgentOptions,
      done?: (fault: Error | null, stream: Duplex) => void,
    ): Duplex | null | undefined {
      const socket = super.createConnection(options, done);
      const giveUp = setTimeout(() => socket?.destroy(new Error("ClickHouse did not respond in time")), connectMs);
      const isOpen = () => clearTimeout(giveUp);
      socket?.once("connect", isOpen).once("close", isOpen);
      return socket;
    }
  }
  return new QuickAgent({ keepAlive: true, maxSockets: kind === "write" ? 1 : 10, timeout: 60_000 });
}

// TOO_FEW_LIVE_REPLICAS, UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE, UNKNOWN_STATUS_OF_INSERT
const lacking = new Set(["285", "286", "319"]);
/** Whether a write failed because the second server does not have the row, so that one server may still accept it. */
export const lacksReplica = (error: unknown): boolean => error instanceof ClickHouseError && lacking.has(error.code);

/** Creates the database if needed. @throws ConfigError if it exists without replicas */
export async function ensureReplicated(client: ClickHouseClient, database: string): Promise<void> {
  const query = "SELECT engine FROM system.databases WHERE name = {database:String}";
  const [found] = await rowsOf<{ engine: string }>(client, query, { database });
  if (found === undefined) {
    // Creates it on this server only; other servers need the same statement (charts/sonde runs it).
    await client.command({
      query: `CREATE DATABASE IF NOT EXISTS {database:Identifier} ENGINE = Replicated(${quoted(`/clickhouse/databases/${database}`)}, '{shard}', '{replica}')`,
      query_params: { database },
    });
  } else if (found.engine !== "Replicated") {
    throw new ConfigError(
      `CLICKHOUSE_REPLICATED is set, but the database ${database} exists without replicas and was not changed. See charts/sonde/README.md for how to move its history`,
    );
  }
}

export async function hasTwoReplicas(client: ClickHouseClient): Promise<boolean> {
  const query = "SELECT min(active_replicas) AS least FROM system.replicas WHERE database = currentDatabase()";
  return ((await rowsOf<{ least: number }>(client, query))[0]?.least ?? 0) >= 2;
}

export async function isReplicated(client: ClickHouseClient): Promise<boolean> {
  const query = "SELECT engine FROM system.databases WHERE name = currentDatabase()";
  return (await rowsOf<{ engine: string }>(client, query))[0]?.engine === "Replicated";
}

/**
 * Turns a CREATE TABLE statement into one with replicas. Block deduplication is off: duplicate rows are merged anyway,
 * and a mark that is set, removed and set again is an identical block that must not be dropped.
 */
export function withReplicas(statement: string): string {
  const engine = /\bENGINE = (\w*MergeTree\b(?:\([^)]*\))?)/;
  if (!engine.test(statement)) return statement;
  const made = statement.replace(engine, "ENGINE = Replicated$1");
  const setting = "replicated_deduplication_window = 0";
  return /^SETTINGS /m.test(made)
    ? made.replace(/^SETTINGS /m, `SETTINGS ${setting}, `)
    : `${made}\nSETTINGS ${setting}`;
}

/**
 * Waits until the connected server has all current rows of the table. Rollups need this before they delete marks,
 * because a server that was offline may receive the marks of touched hours before their rows.
 * @throws if only an offline server has the rows
 */
export const catchUp = async (client: ClickHouseClient, table: string): Promise<void> =>
  void (await client.command({
    query: `SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`,
    clickhouse_settings: { receive_timeout: 5 },
  }));
