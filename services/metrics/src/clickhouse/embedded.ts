import type { ClickHouseClient, ClickHouseSettings, createClient } from "@clickhouse/client";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

type ClientOptions = NonNullable<Parameters<typeof createClient>[0]>;
type Connection = NonNullable<ClientOptions["connection"]>;

/**
 * Engine settings, in bytes: a server's default caches and threads would take more memory than the data. Idle threads
 * exit (`max_thread_pool_free_size`), because otherwise their malloc caches take 4 MiB after a start, and 8 MiB with
 * 500 monitors every 20 s and 30-day charts. The engine checks its memory once a second (`memory_worker_period_ms`)
 * instead of 20 times a second, even when idle.
 */
const engineConfig = `<clickhouse>
  <max_server_memory_usage>${1536 * 2 ** 20}</max_server_memory_usage>
  <mark_cache_size>${32 * 2 ** 20}</mark_cache_size>
  <index_mark_cache_size>${8 * 2 ** 20}</index_mark_cache_size>
  <primary_index_cache_size>${16 * 2 ** 20}</primary_index_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <mmap_cache_size>0</mmap_cache_size>
  <background_pool_size>2</background_pool_size>
  <background_schedule_pool_size>2</background_schedule_pool_size>
  <max_thread_pool_size>64</max_thread_pool_size>
  <max_thread_pool_free_size>0</max_thread_pool_free_size>
  <memory_worker_period_ms>1000</memory_worker_period_ms>
</clickhouse>
`;

export type Engine = {
  /** Opens a connection. Each runs one statement at a time; different connections run in parallel. */
  connect(): Connection;
  close(): void;
};

/**
 * Starts chDB on a directory, which it locks for this process. A process can have only one.
 * @throws if the directory is in use or not writable, or the engine is not installed
 */
export async function startEngine(dataDir: string): Promise<Engine> {
  const path = resolve(dataDir);
  await mkdir(path, { recursive: true });
  // History reveals what is monitored and when it failed, so other users must not read it, regardless of the umask.
  await chmod(path, 0o700);
  // Outside the directory, where the engine would treat it as data.
  const configFile = `${path}.xml`;
  await writeFile(configFile, engineConfig);
  await chmod(configFile, 0o600);
  const { Session } = await import("chdb").catch(explainMissing);
  const { createChdbConnection } = await import("chdb/connection");
  // Only a session accepts engine arguments. Connections to the same path share its engine.
  const session = new Session(path, { connectionArgs: [`--config-file=${configFile}`] });
  return { connect: () => createChdbConnection({ path }) as unknown as Connection, close: () => session.close() };
}

/** Images of metrics for an external server omit the engine, which takes half a gigabyte. */
function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  throw new Error("CLICKHOUSE_URL is missing, and this installation has no embedded ClickHouse", { cause: error });
}

export const engineDir = (sondeDataDir: string): string => join(sondeDataDir, "clickhouse");

/** Uses SET: the client would prepend its `clickhouse_settings` to every statement, even to an insert's rows. */
export async function applySettings(client: ClickHouseClient, settings: ClickHouseSettings): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await client.command({ query: `SET ${name} = '${String(value)}'` });
  }
}
