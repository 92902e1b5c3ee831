import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { restartWaits } from "./backoff.ts";
import type { Config } from "./config.ts";
import { type EmbeddedServer, startNats } from "./embedded/nats.ts";
import { startPostgres } from "./embedded/postgres.ts";
import { describeFault } from "./startup-error.ts";
import type { Terminal } from "./terminal.ts";

/** The database and the bus, ours or somebody else's: their addresses, as soon as they take connections. */
export type Servers = {
  databaseUrl: Promise<string>;
  natsUrl: Promise<string>;
  /** Stops those that are ours, also one that is still starting. */
  stop: () => Promise<void>;
  /** Ends those that are ours at once. What was committed and acknowledged is on the disk. */
  kill: () => void;
};

type Start = (port?: number) => Promise<EmbeddedServer>;
type Kept = { url: string; stop: () => Promise<void> };
type Pids = Map<string, number>;

/**
 * Starts the embedded PostgreSQL and NATS, but for those whose address is configured.
 * @param onStarted Hears of each start, also after a server died.
 */
export function startServers(
  config: Config,
  dataDir: string,
  terminal: Terminal,
  onStarted: (name: string, pid: number) => void = () => {},
): Servers {
  const kept: Promise<Kept>[] = [];
  const pids: Pids = new Map();
  const keep = (name: string, start: Start): Promise<string> => {
    terminal.say(`Starting ${name} …`);
    const begin: Start = async (port) => {
      const server = await start(port);
      pids.set(name, server.pid);
      onStarted(name, server.pid);
      void server.exited.then(() => pids.delete(name));
      return server;
    };
    const server = keepRunning(name, begin, terminal);
    kept.push(server);
    const url = server.then((running) => running.url);
    url.catch(() => {}); // Whoever awaits it hears of it; a stop before that must not be brought down by it.
    return url;
  };
  const startDatabase: Start = (port) => startPostgres({ dataDir: join(dataDir, "postgres"), port });
  const password = randomBytes(24).toString("base64url");
  const startBus: Start = (port) => startNats({ dataDir: join(dataDir, "nats"), port, password, log: terminal.say });
  return {
    databaseUrl: config.DATABASE_URL ? Promise.resolve(config.DATABASE_URL) : keep("PostgreSQL", startDatabase),
    natsUrl: config.NATS_URL ? Promise.resolve(config.NATS_URL) : keep("NATS", startBus),
    async stop() {
      const started = await Promise.allSettled(kept);
      await Promise.all(started.map(async (server) => server.status === "fulfilled" && (await server.value.stop())));
    },
    kill() {
      for (const pid of pids.values()) kill(pid);
    },
  };
}

/** A server that dies is started again on its port, so that the services find it where they look for it. */
async function keepRunning(name: string, start: Start, terminal: Terminal): Promise<Kept> {
  const nextWaitMs = restartWaits();
  const stopping = new AbortController();
  let server = await start();
  const { port, url } = server;
  const startAgain = async () => {
    const waitMs = nextWaitMs();
    terminal.warn(`${name} ended; it starts again in ${waitMs / 1000} s.`);
    await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return;
    const again = await start(port).catch((fault: unknown) => terminal.warn(describeFault(fault)));
    server = again ?? server;
  };
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await server.exited;
      if (!stopping.signal.aborted) await startAgain();
    }
  })();
  return {
    url,
    async stop() {
      stopping.abort();
      await server.stop();
      await watching;
      await server.stop(); // One that was just being started again.
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in this instant.
  }
}
