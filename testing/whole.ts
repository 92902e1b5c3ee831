import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { startNats } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { launchOf } from "@sonde/kit/service/launch";
import { type ServiceName, serviceNames } from "@sonde/proto/services";
import { steadyPort } from "./steady-port.ts";

/** A whole Sonde on loopback, with each service and server in its own process. */
export interface WholeSonde {
  /** URL of the gateway. */
  url: string;
  natsUrl: string;
  databaseUrl: string;
  dataDir: string;
  /** Process ids by name, including `nats` and `postgres`. */
  pids(): Map<string, number>;
  /** Metrics ports by service. */
  opsPorts(): Map<string, number>;
  /** Value of a service's metric, summed over the matching labels. */
  metric(name: string, metric: string, labels?: string): Promise<number>;
  /** Kills (kill -9) a service unless it was stopped; resolves when its replacement is ready. */
  killAndStart(name: string): Promise<void>;
  /** Stops one service, as a deployment would. */
  stop(name: string): Promise<void>;
  /** Stops everything. `keep` preserves the data and the logs. */
  close(options?: { keep?: boolean }): Promise<void>;
}

export interface WholeOptions {
  /** Number of probe runners: `probe-runner`, `probe-runner-2` and so on. */
  runners?: number;
  environment?: NodeJS.ProcessEnv;
}

interface Running {
  child: ChildProcess;
  opsPort: number;
}

/** Starts servers, services and then the gateway; resolves when all are ready. Logs are in `<dataDir>/logs`. */
export async function startWhole({ runners = 1, environment = {} }: WholeOptions = {}): Promise<WholeSonde> {
  const dataDir = await mkdtemp(join(tmpdir(), "sonde-bench-"));
  await chmod(dataDir, 0o711); // As root, PostgreSQL runs as another user, which needs to enter this folder.
  await mkdir(join(dataDir, "logs"));
  const [nats, postgres] = await Promise.all([
    startNats({ dataDir: join(dataDir, "nats") }),
    startPostgres({ dataDir: join(dataDir, "postgres") }),
  ]);
  const [port, ingestPort] = [await steadyPort(), await steadyPort()];
  const shared = {
    PATH: process.env.PATH,
    // Compiled sources are cached, like under `npm start`.
    NODE_COMPILE_CACHE: join(tmpdir(), "sonde-bench-compile-cache"),
    NATS_URL: nats.url,
    DATABASE_URL: postgres.url,
    SONDE_DATA_DIR: dataDir,
    ...deriveKeys(randomBytes(32).toString("base64")),
    SONDE_LOCAL: "1",
    LOG_LEVEL: "warn",
    PORT: String(port),
    AGENT_INGEST_PORT: String(ingestPort),
    AGENT_INGEST_URL: `http://127.0.0.1:${ingestPort}`,
    ...environment,
  };
  const running = new Map<string, Running>();

  const start = async (name: string, main: ServiceName) => {
    const opsPort = await steadyPort();
    const log = await open(join(dataDir, "logs", `${name}.log`), "a");
    const launch = launchOf(main);
    const child = fork(fileURLToPath(import.meta.resolve(`@sonde/${main}`)), {
      execArgv: ["--disable-warning=ExperimentalWarning", ...launch.nodeFlags],
      env: { ...launch.environment, ...shared, OPS_PORT: String(opsPort) },
      stdio: ["ignore", log.fd, log.fd, "ipc"],
    });
    running.set(name, { child, opsPort });
    const ended = once(child, "exit").then(() => {
      throw new Error(`${name} ended before it was ready: see ${join(dataDir, "logs")}`);
    });
    await Promise.race([once(child, "message"), ended]).finally(() => log.close());
    ended.catch(() => {});
  };
  const get = (name: string) => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`No service ${name} runs`);
    return found;
  };
  const end = async (name: string, signal: NodeJS.Signals) => {
    const { child } = get(name);
    running.delete(name);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };

  const mains = new Map<string, ServiceName>(
    serviceNames.filter((name) => name !== "gateway").map((name) => [name, name]),
  );
  for (let n = 2; n <= runners; n++) mains.set(`probe-runner-${n}`, "probe-runner");
  const close = async ({ keep = false } = {}) => {
    await Promise.all([...running.keys()].map((name) => end(name, "SIGTERM")));
    await Promise.all([nats.stop(), postgres.stop()]);
    if (!keep) await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await Promise.all([...mains].map(([name, main]) => start(name, main)));
    await start("gateway", "gateway");
  } catch (fault) {
    await close({ keep: true });
    throw fault;
  }
  mains.set("gateway", "gateway");

  return {
    url: `http://127.0.0.1:${port}`,
    natsUrl: nats.url,
    databaseUrl: postgres.url,
    dataDir,
    pids: () =>
      new Map([
        ...[...running].map(([name, { child }]): [string, number] => [name, child.pid ?? 0]),
        ["nats", nats.pid],
        ["postgres", postgres.pid],
      ]),
    opsPorts: () => new Map([...running].map(([name, { opsPort }]) => [name, opsPort])),
    async metric(name, metric, labels = "") {
      const text = await (await fetch(`http://127.0.0.1:${get(name).opsPort}/metrics`)).text();
      const lines = text.split("\n").filter((line) => new RegExp(`^${metric}[{ ]`).test(line) && line.includes(labels));
      return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    },
    async killAndStart(name) {
      const main = mains.get(name);
      if (main === undefined) throw new Error(`No service is called ${name}`);
      if (running.has(name)) await end(name, "SIGKILL");
      await start(name, main);
    },
    stop: (name) => end(name, "SIGTERM"),
    close,
  };
}
