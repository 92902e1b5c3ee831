import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@sonde/kit/embedded/free-port";
import { observeProcesses, type System } from "./system.ts";

type Socket = {
  on(event: "connect", run: () => void): void;
  emitWithAck(event: string, ...args: unknown[]): Promise<{ ok: boolean; msg?: string }>;
  disconnect(): void;
};

const login = { username: "bench", password: "correct-horse-battery-1" };

/**
 * Uptime Kuma from a folder with its source, built and with its dependencies (`npm ci --omit=dev`), over SQLite: one
 * process of the Node that runs this. Its shortest interval is 20 s.
 */
export async function kumaOf(folder: string): Promise<System> {
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version: string };
  const column = `Uptime Kuma ${version}`;
  const { io } = createRequire(join(folder, "package.json"))("socket.io-client") as { io(url: string): Socket };
  return {
    columns: { [column]: "its process over SQLite, as its own container starts it" },
    async start({ port, count, intervalSeconds }) {
      const dataDir = await mkdtemp(join(tmpdir(), "sonde-bench-kuma-"));
      const own = await freePort();
      const child = spawn(
        process.execPath,
        ["server/server.js", `--port=${own}`, "--host=127.0.0.1", `--data-dir=${dataDir}/`],
        {
          cwd: folder,
          env: { ...process.env, NODE_ENV: "production", UPTIME_KUMA_DB_TYPE: "sqlite" },
          stdio: "ignore",
        },
      );
      const exited = once(child, "exit");
      const stop = async () => {
        child.kill("SIGTERM");
        await exited;
        await rm(dataDir, { recursive: true, force: true });
      };
      try {
        const url = `http://127.0.0.1:${own}`;
        while (!(await isThere(url))) {
          if (child.exitCode !== null) throw new Error(`Uptime Kuma in ${folder} ended before it was ready`);
          await sleep(300);
        }
        const socket = io(url);
        await new Promise<void>((resolve) => socket.on("connect", resolve));
        await ask(socket, "setup", login.username, login.password);
        await ask(socket, "login", login);
        for (let id = 1; id <= count; id += 1) {
          await ask(socket, "add", monitorOf(id, `http://127.0.0.1:${port}/ok/${id}`, intervalSeconds));
        }
        socket.disconnect();
      } catch (fault) {
        await stop();
        throw fault;
      }
      return {
        observe: (seconds, take) =>
          observeProcesses({ name: column, pids: [child.pid ?? 0], writes: true }, seconds, take),
        stop,
      };
    },
  };
}

/** What its form sends of a new monitor. */
const monitorOf = (id: number, url: string, interval: number) => ({
  type: "http",
  name: `Monitor ${id}`,
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
