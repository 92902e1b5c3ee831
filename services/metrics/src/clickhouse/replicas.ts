import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from "@clickhouse/client";
import { ConfigError } from "@sonde/kit/service/config";
import type { Agent as AnyAgent, AgentOptions } from "node:http";
import { Agent } from "@sonde/kit/http/node-http";
import { Agent as TlsAgent } from "node:https";
import type { Duplex } from "node:stream";
import { quoted, rowsOf } from "./rows.ts";

// A ClickHouse of several servers: a database of the engine Replicated, which brings each change of the schema to all of
// them, and in it tables of the engines Replicated…MergeTree, which bring each row.

/**
 * What changes the schema waits for servers that are there, not for one that is away: it follows once it is back. The
 * same holds for what changes rows.
 */
const changing: ClickHouseSettings = {
  distributed_ddl_output_mode: "none_only_active" as never, // The client's types do not know it.
  mutations_sync: "1",
  lightweight_deletes_sync: "1",
};
/**
 * A row counts as stored once two servers have it. `select_sequential_consistency`, which would make a server that is
 * behind refuse reads, does not work with parallel inserts, and several replicas of metrics insert at once.
 */
export const writingTwice: ClickHouseSettings = {
  ...changing,
  insert_quorum: "2",
  insert_quorum_parallel: 1,
  insert_quorum_timeout: 5_000,
};
/** A row counts as stored on one; the others fetch it when they can. */
export const writingAlone: ClickHouseSettings = { ...changing, insert_quorum: "0" };

/** How long a statement may take: a server whose machine is gone does not even refuse it. */
export const replicatedTimeoutMs = { read: 5_000, write: 20_000 } as const;
const connectMs = 2_000;

/**
 * Connections to an address with several servers behind it. One that cannot be opened is given up soon, since the next may
 * lead to another server. A writer has one connection, so that its statements run on one server as long as that is there.
 */
export function quickAgent({ protocol }: URL, kind: "read" | "write"): AnyAgent {
  const Base = protocol === "https:" ? TlsAgent : Agent;
  class QuickAgent extends Base {
    override createConnection(
      options: AgentOptions,
      done?: (fault: Error | null, stream: Duplex) => void,
    ): Duplex | null | undefined {
      const socket = super.createConnection(options, done);
      const giveUp = setTimeout(() => socket?.destroy(new Error("ClickHouse did not answer in time")), connectMs);
      const isOpen = () => clearTimeout(giveUp);
      socket?.once("connect", isOpen).once("close", isOpen);
      return socket;
    }
  }
  return new QuickAgent({ keepAlive: true, maxSockets: kind === "write" ? 1 : 10, timeout: 60_000 });
}

/** TOO_FEW_LIVE_REPLICAS, UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE, UNKNOWN_STATUS_OF_INSERT: the second server has not got it. */
const lacking = new Set(["285", "286", "319"]);
/** Whether a row could not be stored on two servers, and may be on one. */
export const lacksReplica = (error: unknown): boolean => error instanceof ClickHouseError && lacking.has(error.code);

/**
 * Makes the database where it is not there.
 * @throws ConfigError where there is one without replicas
 */
export async function ensureReplicated(client: ClickHouseClient, database: string): Promise<void> {
  const query = "SELECT engine FROM system.databases WHERE name = {database:String}";
  const [found] = await rowsOf<{ engine: string }>(client, query, { database });
  if (found === undefined) {
    // On this server; where another is to have it, the same statement runs there (charts/sonde does so).
    await client.command({
      query: `CREATE DATABASE IF NOT EXISTS {database:Identifier} ENGINE = Replicated(${quoted(`/clickhouse/databases/${database}`)}, '{shard}', '{replica}')`,
      query_params: { database },
    });
  } else if (found.engine !== "Replicated") {
    throw new ConfigError(
      `CLICKHOUSE_REPLICATED is given, and the database ${database} is there without replicas; it is left as it is. charts/sonde/README.md says how its history moves`,
    );
  }
}

/** Whether two servers or more have each table and can be reached. */
export async function areTwo(client: ClickHouseClient): Promise<boolean> {
  const query = "SELECT min(active_replicas) AS least FROM system.replicas WHERE database = currentDatabase()";
  return ((await rowsOf<{ least: number }>(client, query))[0]?.least ?? 0) >= 2;
}

/** Whether the tables of the client's database are to have replicas. */
export async function isReplicated(client: ClickHouseClient): Promise<boolean> {
  const query = "SELECT engine FROM system.databases WHERE name = currentDatabase()";
  return (await rowsOf<{ engine: string }>(client, query))[0]?.engine === "Replicated";
}

/**
 * A statement that makes a table, for one with replicas. Without deduplication of blocks: what is written twice counts
 * once by itself, and a mark that is set, removed and set again is the same block twice, of which the second must count.
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
 * Waits until the server that answers has the rows of this table that there are by now. What is computed from rows and then
 * forgets that it has to be computed needs this: a server that was away gets marks of touched hours and their rows apart.
 * @throws while the rows are on a server that is away
 */
export const catchUp = async (client: ClickHouseClient, table: string): Promise<void> =>
  void (await client.command({
    query: `SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`,
    clickhouse_settings: { receive_timeout: 5 },
  }));
