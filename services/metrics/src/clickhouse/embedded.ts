import type { ClickHouseClient, ClickHouseSettings, createClient } from "@clickhouse/client";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

type ClientOptions = NonNullable<Parameters<typeof createClient>[0]>;
type Connection = NonNullable<ClientOptions["connection"]>;

/**
 * Settings of the engine within our process: the caches and threads of a server would take more memory than the data. Sizes in bytes.
 * Idle threads exit (`max_thread_pool_free_size`): kept alive, their malloc caches take 4 MiB after a start, and 8 MiB with
 * 500 monitors every 20 s and 30-day charts. The engine checks its memory once a second (`memory_worker_period_ms`); the
 * default is 20 times a second, even when idle.
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
  /** Connections run one statement at a time each; two of them do so side by side. */
  connect(): Connection;
  close(): void;
};

/**
 * Starts chDB on a directory, which it takes for this process alone. One process can have one such directory.
 * @throws when the directory is in use or cannot be written, or the engine is not installed
 */
export async function startEngine(dataDir: string): Promise<Engine> {
  const path = resolve(dataDir);
  await mkdir(path, { recursive: true });
  // History shows what is monitored and when it failed: whatever the umask, other users cannot read the engine's files.
  await chmod(path, 0o700);
  // Beside the data: the engine takes everything inside its directory for its own.
  const configFile = `${path}.xml`;
  await writeFile(configFile, engineConfig);
  await chmod(configFile, 0o600);
  const { Session } = await import("chdb").catch(explainMissing);
  const { createChdbConnection } = await import("chdb/connection");
  // Only a session takes engine arguments; connections to the same path then share its engine.
  const session = new Session(path, { connectionArgs: [`--config-file=${configFile}`] });
  return { connect: () => createChdbConnection({ path }) as unknown as Connection, close: () => session.close() };
}

/** Images of metrics for an external server do not include the engine, which is half a gigabyte. */
function explainMissing(fault: NodeJS.ErrnoException): never {
  if (fault.code !== "ERR_MODULE_NOT_FOUND") throw fault;
  throw new Error("CLICKHOUSE_URL is missing, and this installation has no embedded ClickHouse", { cause: fault });
}

/** Where the embedded engine keeps its files. */
export const engineDir = (sondeDataDir: string): string => join(sondeDataDir, "clickhouse");

/**
 * Session settings for a connection of the engine. Not the client's own `clickhouse_settings`: those would go in front
 * of every statement as text, of an insert's rows too.
 */
export async function applySettings(client: ClickHouseClient, settings: ClickHouseSettings): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await client.command({ query: `SET ${name} = '${String(value)}'` });
  }
}
