import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@sonde/embedded/free-port";
import type { System } from "./system.ts";

type Socket = {
  on(event: "connect", run: () => void): void;
  emitWithAck(event: string, ...args: unknown[]): Promise<{ ok: boolean; msg?: string }>;
  disconnect(): void;
};

const login = { username: "bench", password: "correct-horse-battery-1" };

/**
 * Runs Uptime Kuma from a source folder that is built and has its dependencies (`npm ci --omit=dev`), on SQLite, in one
 * process of this Node. Its minimum interval is 20 s.
 */
export async function kumaOf(folder: string): Promise<System> {
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version: string };
  const need = createRequire(join(folder, "package.json"));
  return {
    name: `Uptime Kuma ${version}`,
    counts: "its process over SQLite, as its own container starts it",
    async start({ port, count, intervalSeconds }) {
      const dataDir = await mkdtemp(join(tmpdir(), "sonde-bench-kuma-"));
      let running = await begin(folder, dataDir);
      try {
        await addFirst(need, running.url, monitorOf(`http://127.0.0.1:${port}/ok/1`, intervalSeconds));
        await running.stop();
        // Uptime Kuma resends the whole list after each addition, so a thousand additions would take an hour.
        await copyMonitor(need, join(dataDir, "kuma.db"), count);
        running = await begin(folder, dataDir);
      } catch (fault) {
        await running.stop();
        throw fault;
      }
      return {
        pids: [running.pid],
        async stop() {
          await running.stop();
          await rm(dataDir, { recursive: true, force: true });
        },
      };
    },
  };
}

async function begin(folder: string, dataDir: string): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    ["server/server.js", `--port=${port}`, "--host=127.0.0.1", `--data-dir=${dataDir}/`],
    {
      cwd: folder,
      env: { ...process.env, NODE_ENV: "production", UPTIME_KUMA_DB_TYPE: "sqlite" },
      stdio: "ignore",
    },
  );
  const exited = once(child, "exit");
  while (!(await isThere(url))) {
    if (child.exitCode !== null) throw new Error(`Uptime Kuma in ${folder} ended before it was ready`);
    await sleep(300);
  }
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function addFirst(need: NodeJS.Require, url: string, monitor: object): Promise<void> {
  const { io } = need("socket.io-client") as { io(url: string): Socket };
  const socket = io(url);
  await new Promise<void>((resolve) => socket.on("connect", resolve));
  await ask(socket, "setup", login.username, login.password);
  await ask(socket, "login", login);
  await ask(socket, "add", monitor);
  socket.disconnect();
}

type Sqlite = { all(sql: string, done: (fault: Error | null, rows: { name: string }[]) => void): void; close(): void };

/** Copies the first monitor, with a different path each. */
async function copyMonitor(need: NodeJS.Require, file: string, count: number): Promise<void> {
  const { Database } = need("@louislam/sqlite3") as { Database: new (file: string) => Sqlite };
  const database = new Database(file);
  const run = (sql: string) =>
    new Promise<{ name: string }[]>((resolve, reject) =>
      database.all(sql, (fault, rows) => (fault === null ? resolve(rows) : reject(fault))),
    );
  const columns = (await run("PRAGMA table_info(monitor)")).map(({ name }) => name).filter((name) => name !== "id");
  const quoted = columns.map((name) => `"${name}"`);
  const values = columns.map((name) =>
    name === "url" ? "substr(url, 1, length(url) - 1) || n" : name === "name" ? "'Monitor ' || n" : `"${name}"`,
  );
  await run(
    `WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
     INSERT INTO monitor (${quoted.join(", ")}) SELECT ${values.join(", ")} FROM monitor, numbers WHERE id = 1`,
  );
  database.close();
}

/** The fields that its form sends for a new monitor. */
const monitorOf = (url: string, interval: number) => ({
  type: "http",
  name: "Monitor 1",
  url,
  method: "GET",
  interval,
  retryInterval: interval,
  resendInterval: 0,
  maxretries: 0,
  timeout: Math.floor(interval * 0.8),
  notificationIDList: {},
  ignoreTls: false,
  upsideDown: false,
  packetSize: 56,
  expiryNotification: false,
  maxredirects: 10,
  accepted_statuscodes: ["200-299"],
  dns_resolve_type: "A",
  dns_resolve_server: "1.1.1.1",
  docker_container: "",
  docker_host: null,
  proxyId: null,
  mqttUsername: "",
  mqttPassword: "",
  mqttTopic: "",
  mqttSuccessMessage: "",
  authMethod: null,
  httpBodyEncoding: "json",
  kafkaProducerBrokers: [],
  kafkaProducerSaslOptions: { mechanism: "None" },
});

async function ask(socket: Socket, event: string, ...args: unknown[]): Promise<void> {
  const { ok, msg } = await socket.emitWithAck(event, ...args);
  if (!ok) throw new Error(`Uptime Kuma refused ${event}: ${msg}`);
}

const isThere = (url: string) =>
  fetch(url, { redirect: "manual" }).then(
    ({ status }) => status < 500,
    () => false,
  );
