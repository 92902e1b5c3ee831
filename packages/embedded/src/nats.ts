import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { StartupError } from "@sonde/kit/service/startup-error";
import { freePort } from "./free-port.ts";
import { findNatsServer } from "./nats-binary.ts";
import { authorization, natsAdmin, type UserPasswords } from "@sonde/kit/bus/nats-users";
import { endProcess, isOurs } from "./process-identity.ts";
import { startServerProcess } from "./server-process.ts";

export type NatsOptions = {
  /** Where streams are stored; by default a temporary folder, removed at `stop`. */
  dataDir?: string;
  /** Without it a free one. */
  port?: number;
  /**
   * Password of the user `sonde`, who may do everything. Without one the server requires no password, so every user of
   * this machine may read and write all messages.
   */
  password?: string;
  /** Only with `password`: users with the permissions of `proto/permissions.ts`. */
  users?: UserPasswords;
  log?: (line: string) => void;
};

/** A server that was started here. */
export type EmbeddedServer = {
  url: string;
  port: number;
  pid: number;
  /** Settles when the server has ended, on purpose or not. */
  exited: Promise<void>;
  stop: () => Promise<void>;
};

const startPatienceMs = 30_000;

/**
 * GOGC=50 saves 1.9 MiB, idle and with 500 monitors every 20 s, at no cost in CPU time. GOMAXPROCS=1 stops threads from waking
 * each other: 20 % less CPU time when idle, 10 % with these monitors.
 */
const goRuntime = { GOGC: "50", GOMAXPROCS: "1" };

/**
 * Starts a nats-server with JetStream on 127.0.0.1; resolves once it accepts connections. A server that an earlier,
 * killed run left on the same folder is ended first.
 *
 * @throws StartupError if there is no nats-server, or it does not start.
 */
export async function startNats(options: NatsOptions = {}): Promise<EmbeddedServer> {
  const program = await findNatsServer(options.log);
  const folder = options.dataDir ?? (await mkdtemp(join(tmpdir(), "sonde-nats-")));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const dataDir = await realpath(folder);
  const configFile = join(dataDir, "nats-server.conf");
  const pidFile = join(dataDir, "nats-server.pid");
  await endLeftover(pidFile, configFile);

  const port = options.port ?? (await freePort());
  await writeFile(configFile, await configuration(program, { ...options, port, pidFile, storeDir: dataDir }), {
    mode: 0o600,
  });
  const server = await startServerProcess({
    program,
    args: ["-c", configFile],
    logFile: join(dataDir, "nats-server.log"),
    cwd: dataDir,
    environment: goRuntime,
    stopSignal: "SIGTERM",
  });
  const deadline = performance.now() + startPatienceMs;
  while (!(await answers(port))) {
    if (server.hasExited() || performance.now() > deadline) {
      await server.stop();
      const reason = server
        .output()
        .trim()
        .split("\n")
        .findLast((line) => /\[FTL\]|error/i.test(line));
      throw new StartupError(`nats-server did not start: ${reason ?? "it gave no reason"}`);
    }
    await sleep(10);
  }
  return {
    url: `nats://${options.password ? `${natsAdmin}:${encodeURIComponent(options.password)}@` : ""}127.0.0.1:${port}`,
    port,
    pid: server.pid,
    exited: server.exited,
    async stop() {
      await server.stop();
      if (!options.dataDir) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function endLeftover(pidFile: string, configFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, "utf8").catch(() => ""));
  if (pid > 0 && isOurs(pid, "nats-server", configFile)) await endProcess(pid, "SIGTERM", 10_000);
}

type Settings = Pick<NatsOptions, "password" | "users"> & { port: number; pidFile: string; storeDir: string };

async function configuration(program: string, settings: Settings): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ["--version"]);
  const [, major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  // Before 2.10 the server refuses to start on this name. There a killed server still loses nothing, since writes
  // reach the kernel before they are acknowledged; only a power cut may take the last two minutes.
  const sync = major > 2 || (major === 2 && minor >= 10) ? "sync_interval: always" : "";
  const access = settings.password ? authorization(settings.password, settings.users) : "";
  // The reservation is not space: streams have bounds of their own, and a small disk must not refuse to make them.
  return `server_name: sonde
listen: "127.0.0.1:${settings.port}"
pid_file: ${JSON.stringify(settings.pidFile)}
${access}
jetstream {
  store_dir: ${JSON.stringify(settings.storeDir)}
  max_memory_store: 64MB
  max_file_store: 16GB
  ${sync}
}
`;
}

/** A server sends INFO on each connection, which shows whether JetStream is up. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("data", (greeting) => end(greeting.includes('"jetstream":true')));
    socket.once("error", () => end(false));
    socket.setTimeout(2_000, () => end(false));
  });
}
