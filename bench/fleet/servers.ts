import { startNats } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { freePort } from "@sonde/embedded/free-port";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService, type ServiceProcess } from "./service-process.ts";

export type Servers = {
  natsUrl: string;
  databaseUrl: string;
  /** Fixed port of agent-ingest, which is restarted. */
  ingestPort: number;
  startIngest(execArgv?: readonly string[]): Promise<ServiceProcess>;
  stop(): Promise<void>;
};

/** Starts a bus and a database for the benchmark, with the same durability as in production. */
export async function startServers(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-fleet-"));
  await chmod(folder, 0o711); // As root, PostgreSQL runs as another user, which needs to enter this folder.
  const nats = await startNats({ dataDir: join(folder, "nats") });
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  const ingestPort = await freePort();
  const environment = {
    NATS_URL: nats.url,
    DATABASE_URL: postgres.url,
    SONDE_LOCAL: "1",
    AGENT_INGEST_PORT: String(ingestPort),
  };
  return {
    natsUrl: nats.url,
    databaseUrl: postgres.url,
    ingestPort,
    startIngest: (execArgv) => startService("@sonde/agent-ingest", environment, execArgv),
    async stop() {
      await Promise.all([nats.stop(), postgres.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
