import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { StartupError } from "@sonde/kit/service/startup-error";
import { freePort } from "./free-port.ts";
import type { EmbeddedServer } from "./nats.ts";
import {
  type SystemAccount,
  createOwnedFolder,
  makePassable,
  mayEnter,
  postgresAccount,
  postgresPrograms,
} from "./postgres-account.ts";
import { endProcess, isAlive, isOurs } from "./process-identity.ts";
import { startServerProcess } from "./server-process.ts";

export type PostgresOptions = {
  /** If we are root, the user `postgres` must be able to enter it. */
  dataDir: string;
  port?: number;
  /** False only in tests: a power failure may then lose commits. */
  durable?: boolean;
};

const startPatienceMs = 60_000;

/**
 * Starts the embedded PostgreSQL on 127.0.0.1. The first start in a folder creates the cluster with a database and a
 * user `sonde`. Stops a server that a killed run left running.
 * @throws StartupError
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer> {
  const account = postgresAccount();
  await makePassable(account, options.dataDir);
  const home = await realpath(options.dataDir);
  if (!mayEnter(account, home)) {
    throw new StartupError(
      `PostgreSQL refuses to run as root, and its user \`postgres\` cannot access ${home}. ` +
        "Choose a folder outside /root, start as an ordinary user, or set DATABASE_URL.",
    );
  }
  const programs = await postgresPrograms(account);
  const cluster = join(home, "cluster");
  await endLeftover(cluster);
  const password = await makeCluster({ programs, home, cluster, account });

  const port = options.port ?? (await freePort());
  const launch = () =>
    startServerProcess({
      program: join(programs, "postgres"),
      args: ["-D", cluster, ...settings(port, options.durable ?? true)],
      logFile: join(home, "postgres.log"),
      cwd: cluster,
      account,
      stopSignal: "SIGINT",
    });
  const deadline = performance.now() + startPatienceMs;
  let server = await launch();
  while (!(await isReady(cluster, server.pid))) {
    const late = performance.now() > deadline;
    if (server.hasExited() && !late && server.output().includes("is still in use")) {
      // Sessions of a killed server keep its shared memory until they notice that it has exited.
      await sleep(200);
      server = await launch();
    } else if (server.hasExited() || late) {
      await server.stop();
      throw new StartupError(`PostgreSQL did not start: ${reasonIn(server.output())}`);
    }
    await sleep(10);
  }
  return {
    url: `postgresql://sonde:${password}@127.0.0.1:${port}/sonde`,
    port,
    pid: server.pid,
    exited: server.exited,
    stop: server.stop,
  };
}

function settings(port: number, durable: boolean): string[] {
  const values: Record<string, string> = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Twice the pools of all services together, since old sessions may still be open after a crash.
    max_connections: "100",
    // With 64MB, an idle PostgreSQL takes 2.3 MiB more.
    shared_buffers: "32MB",
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: "off",
    jit: "off",
    // Disables processes that only a large or replicated database needs.
    io_method: "sync",
    // With `io_method=sync`, a process has one read in flight; the additional slots of the default take 0.5 MiB.
    io_max_concurrency: "1",
    // Same as `autovacuum_max_workers`. The default of 16 takes 0.6 MiB more.
    autovacuum_worker_slots: "3",
    max_logical_replication_workers: "0",
    // Compresses full page images, which are logged for the first change of each page after a checkpoint.
    wal_compression: "pglz",
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

type Cluster = { programs: string; home: string; cluster: string; account: SystemAccount | undefined };

/** Creates the cluster if it is missing; it gets its final name when it is complete. Returns the password. */
async function makeCluster({ programs, home, cluster, account }: Cluster): Promise<string> {
  const passwordFile = join(home, "password");
  const known = await readFile(passwordFile, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (known && (await readFile(join(cluster, "PG_VERSION")).catch(() => undefined))) return known;

  const password = known ?? randomBytes(24).toString("base64url");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const draft = join(home, `draft-${basename(cluster)}`);
  await rm(draft, { recursive: true, force: true });
  await createOwnedFolder(account, draft);
  const args = ["-D", draft, "-U", "sonde", "-A", "scram-sha-256", "-E", "UTF8", "--no-sync", "--no-instructions"];
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const init = join(programs, "initdb");
  await runWithInput(init, [...args, ...locale, `--pwfile=${passwordFile}`], "", { cwd: draft, account });
  // fsync is off until everything is created, then all files are synced together.
  const single = ["--single", "-c", "fsync=off", "-D", draft, "postgres"];
  await runWithInput(join(programs, "postgres"), single, "CREATE DATABASE sonde;\n", { cwd: draft, account });
  await runWithInput(init, ["--sync-only", "-D", draft], "", { cwd: draft, account });
  await rename(draft, cluster);
  return password;
}

type Place = { cwd: string; account: SystemAccount | undefined };

async function runWithInput(program: string, args: string[], input: string, { cwd, account }: Place): Promise<void> {
  const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
  const running = promisify(execFile)(program, args, { cwd, env, ...account });
  running.child.stdin?.on("error", () => {});
  running.child.stdin?.end(input);
  await running.catch((fault: { code?: unknown; stdout: string; stderr: string }) => {
    if (typeof fault.code === "string") throw fault;
    const reason = reasonIn(fault.stdout + fault.stderr);
    const isUnknown = reason.includes("could not look up effective user ID");
    const hint = isUnknown ? ". Give this user a line in /etc/passwd." : "";
    throw new StartupError(`PostgreSQL could not create its files (${basename(program)}): ${reason}${hint}`);
  });
}

function reasonIn(output: string): string {
  const lines = output.trim().split("\n");
  return lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? "no reason given";
}

/** In `postmaster.pid`, the first line is the pid; the eighth is `ready` when queries are accepted. */
async function readLockFile(cluster: string): Promise<{ pid: number; status: string | undefined } | undefined> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  return { pid: Number(lines[0]), status: lines[7]?.trim() };
}

/** Compares the pid, because the file of an earlier run is `ready` too. */
async function isReady(cluster: string, pid: number): Promise<boolean> {
  const lock = await readLockFile(cluster);
  return lock?.pid === pid && lock.status === "ready";
}

/** Administrator URL of the server running in a folder. */
export async function runningPostgres(dataDir: string): Promise<string | undefined> {
  const lines = await readFile(join(dataDir, "cluster", "postmaster.pid"), "utf8").catch(() => "");
  const [pid = "", , , port = "", , , , status = ""] = lines.split("\n").map((line) => line.trim());
  if (status !== "ready" || !isAlive(Number(pid))) return undefined;
  const password = await readFile(join(dataDir, "password"), "utf8");
  return `postgresql://sonde:${password}@127.0.0.1:${port}/sonde`;
}

export async function endPostgres(dataDir: string): Promise<void> {
  const home = await realpath(dataDir).catch(() => undefined);
  if (home !== undefined) await endLeftover(join(home, "cluster"));
}

async function endLeftover(cluster: string): Promise<void> {
  const lock = await readLockFile(cluster);
  if (!lock) return;
  if (isOurs(lock.pid, "postgres", cluster)) return endProcess(lock.pid, "SIGINT", 20_000);
  // The server was killed. Its pid may now belong to another program or to an unreaped process, which PostgreSQL would
  // take for a running server. Its shared memory still protects the folder against a second server.
  await rm(join(cluster, "postmaster.pid"), { force: true });
}
