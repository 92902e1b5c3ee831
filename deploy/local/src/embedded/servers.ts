import { type EmbeddedServer, startNats } from "@sonde/embedded/nats";
import { randomPassword, newUserPasswords } from "@sonde/kit/bus/nats-users";
import { startPostgres } from "@sonde/embedded/postgres";
import { runnerUser } from "@sonde/proto/permissions";
import { databaseServices, type ServiceName, serviceNames } from "@sonde/proto/services";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { watchDisk } from "./disk-watch.ts";
import {
  killWhenHung,
  keepRunning,
  type SupervisedServer,
  killServer,
  probeNats,
  probePostgres,
  type ServerProbe,
  type StartServer,
} from "../supervisor/keep-running.ts";
import type { Startup } from "../startup/process.ts";
import type { DatabaseUrls, NatsUrls } from "../supervisor/processes.ts";
import type { Terminal } from "../terminal.ts";

/** URLs of the embedded or external servers. They resolve when the server accepts connections. */
export type Servers = {
  databaseUrls: Promise<DatabaseUrls>;
  natsUrls: Promise<NatsUrls>;
  stop: () => Promise<void>;
  /** Kills the embedded servers. Everything committed and acknowledged is on disk. */
  kill: () => void;
};

type MakeProbe = (server: EmbeddedServer) => ServerProbe;
type Pids = Map<string, number>;

/** @param issuer public key with which monitors lets remote runners connect to the embedded bus */
export function startServers(
  config: Config,
  dataDir: string,
  terminal: Terminal,
  startup: Startup,
  issuer?: string,
): Servers {
  const supervised: Promise<SupervisedServer>[] = [];
  const pids: Pids = new Map();
  const supervise = (name: string, start: StartServer, makeProbe: MakeProbe): Promise<string> => {
    terminal.info(`Starting ${name} …`);
    const begin: StartServer = async (port) => {
      const server = await start(port);
      pids.set(name, server.pid);
      void server.exited.then(() => pids.delete(name));
      killWhenHung(name, server, makeProbe(server), terminal);
      return server;
    };
    const server = keepRunning(name, begin, terminal);
    supervised.push(server);
    return server.then((running) => running.url);
  };
  const startDatabase: StartServer = (port) => startPostgres({ dataDir: join(dataDir, "postgres"), port });
  const openDatabase = async (): Promise<DatabaseUrls> => {
    const url = await supervise("PostgreSQL", startDatabase, ({ port }) => probePostgres(port));
    return { ...(await startup.openRoles(url)), ...config.databaseUrls };
  };
  const { PROBE_LOCATION: location } = config;
  const [password, users] = [randomPassword(), newUserPasswords([location])];
  const startBus: StartServer = (port) =>
    startNats({ dataDir: join(dataDir, "nats"), port, password, users, issuer, log: terminal.info });
  const openBus = async (): Promise<NatsUrls> => {
    const url = await supervise("NATS", startBus, ({ url }) => probeNats(url));
    const warning = await startup.makeStreams(url);
    if (warning !== undefined) terminal.warn(warning);
    const own = serviceNames.map((service) => {
      const user = service === "probe-runner" ? runnerUser(location) : service;
      return [service, withUser(url, user, users[user] ?? "")];
    });
    return { ...Object.fromEntries(own), ...config.natsUrls } as NatsUrls;
  };
  // After a failed write, a stream accepts nothing until nats-server restarts.
  const disk = watchDisk(dataDir, terminal, () => killServer(pids.get("NATS")));
  return {
    databaseUrls: withoutCrash(ifComplete(config.databaseUrls, databaseServices) ?? openDatabase()),
    natsUrls: withoutCrash(ifComplete(config.natsUrls, serviceNames) ?? openBus()),
    async stop() {
      disk.stop();
      const started = await Promise.allSettled(supervised);
      await Promise.all(started.map(async (server) => server.status === "fulfilled" && (await server.value.stop())));
    },
    kill() {
      for (const pid of pids.values()) killServer(pid);
    },
  };
}

function withUser(url: string, user: string, password: string): string {
  const address = new URL(url);
  address.username = user;
  address.password = password;
  return address.href;
}

/** Returns the URLs if every service has one, so that no embedded server is needed. */
function ifComplete<Service extends ServiceName>(
  urls: Partial<Record<Service, string>>,
  services: readonly Service[],
): Promise<Record<Service, string>> | undefined {
  const isComplete = services.every((service) => urls[service] !== undefined);
  return isComplete ? Promise.resolve(urls as Record<Service, string>) : undefined;
}

/** Prevents a crash if the promise rejects before it is awaited. */
function withoutCrash<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}
