import { deriveKeys, keyVariables, keyVariablesOf } from "@sonde/kit/secret-keys";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "@sonde/embedded/free-port";
import { isAlive } from "@sonde/embedded/process-identity";
import { processNames, servicesOf } from "./supervisor/processes.ts";
import { compiled } from "./testing/compiled.ts";

// Runs `npm start` with the real services. The tests depend on each other.
let folder: string;
let target: Server;
let port: number;
let sonde: ChildProcess;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-whole-"));
  await chmod(folder, 0o755);
  target = createServer((_, response) => response.end("well")).listen(0, "127.0.0.1");
  await once(target, "listening");
  port = await freePort();
});

afterAll(async () => {
  if (sonde.exitCode === null && sonde.signalCode === null) {
    sonde.kill("SIGTERM");
    await once(sonde, "close");
  }
  target.close();
  await rm(folder, { recursive: true, force: true });
});

const masterKey = randomBytes(32).toString("base64");
const thrower = `process.on("SIGUSR2", () => { throw new Error("unforeseen"); })`;

async function start(): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    ...compiled,
    PORT: String(port),
    SONDE_DATA_DIR: join(folder, "data"),
    AGENT_DOWNLOAD_DIR: folder, // Prevents agent builds during the tests.
    SONDE_SECRET_KEY: masterKey,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(thrower)}`,
  };
  sonde = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes("http://")) resolve();
    };
    sonde.stdout?.on("data", read);
    sonde.stderr?.on("data", read);
    sonde.once("close", () => reject(new Error(printed)));
  });
  return printed;
}

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
  return json;
}

async function processes(): Promise<number[]> {
  const run = JSON.parse(await readFile(join(folder, "data", "run.json"), "utf8")) as {
    owner: { pid: number };
    children: Record<string, { pid: number }>;
  };
  const firstLine = async (file: string) => Number((await readFile(join(folder, "data", file), "utf8")).split("\n")[0]);
  const servers = [await firstLine("nats/nats-server.pid"), await firstLine("postgres/cluster/postmaster.pid")];
  return [run.owner.pid, ...Object.values(run.children).map(({ pid }) => pid), ...servers];
}

it("prints its progress and finally its address", async () => {
  const lines = (await start()).trim().split("\n");

  expect(lines).toContain("Starting the services …");
  expect(lines.at(-1)).toBe(`Sonde is ready: http://127.0.0.1:${port}`);
});

it("checks an endpoint as soon as it is added", async () => {
  await call("POST", "/api/auth/register", { username: "admin", password: "a long password" });
  ({ token } = (await call("POST", "/api/auth/login", { username: "admin", password: "a long password" })) as {
    token: string;
  });
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  const { monitor } = await call("POST", "/api/monitors", { name: "kept", url });
  const { id } = monitor as { id: number };

  await expect.poll(() => call("GET", `/api/monitors/${id}`)).toMatchObject({ monitor: { status: "up" } });
  await expect.poll(async () => (await call("GET", `/api/monitors/${id}/checks`)).checks).toHaveLength(1);
});

it("gives each process only the keys of its services, and none the master key", async () => {
  const keys = deriveKeys(masterKey);
  const run = JSON.parse(await readFile(join(folder, "data", "run.json"), "utf8")) as {
    children: Record<string, { pid: number }>;
  };
  for (const name of processNames) {
    const environment = await environmentOf(run.children[name]!.pid);
    const own = servicesOf(name).flatMap(keyVariablesOf);
    for (const variable of keyVariables) {
      expect([name, variable, environment.get(variable)]).toEqual([
        name,
        variable,
        own.includes(variable) ? keys[variable] : undefined,
      ]);
    }
  }
  const below = await descendantsOf(sonde.pid!);
  expect(below.length).toBeGreaterThanOrEqual(5); // 3 processes and 2 servers.
  for (const pid of below) expect([...(await environmentOf(pid)).values()].join("\n")).not.toContain(masterKey);
});

async function environmentOf(pid: number): Promise<Map<string, string>> {
  const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""); // It may have just ended.
  return new Map(text.split("\0").map((line) => [line.split("=")[0]!, line.slice(line.indexOf("=") + 1)]));
}

async function descendantsOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir("/proc")) {
    const status = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "") : "";
    // State and parent follow the name, which may contain anything.
    if (status !== "") parents.set(Number(entry), Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]));
  }
  const below = (of: number): number[] =>
    [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

it("does not allow other users to read its files, regardless of the umask", async () => {
  const find = promisify(execFile)("find", [
    join(folder, "data"),
    "-mindepth",
    "1",
    "!",
    "-type",
    "l",
    "-perm",
    "/077",
    "-printf",
    "%P %m\\n",
  ]);
  const asRoot = process.getuid?.() === 0;

  // As root, PostgreSQL's user passes through its folder with the group's permission.
  expect((await find).stdout).toBe(asRoot ? "postgres 710\n" : "");
});

it("keeps running and logging after its output is closed", async () => {
  sonde.stdout?.destroy();
  sonde.stderr?.destroy();
  const log = join(folder, "data", "logs", "sonde.log");
  const disconnects = async () => (await readFile(log, "utf8")).split("disconnected from NATS").length;
  const before = await disconnects();
  const [natsPid = 0] = (await processes()).slice(-2);
  process.kill(natsPid, "SIGKILL"); // Every service and the supervisor warn.

  await expect.poll(disconnects).toBeGreaterThan(before);
  await expect.poll(() => call("GET", "/api/monitors").catch(() => null)).toMatchObject({ total: 1 });
  expect(sonde.exitCode).toBeNull();
});

it.runIf(process.platform === "linux")(
  "gives each process only the database and bus users of its services",
  async () => {
    const { children } = JSON.parse(await readFile(join(folder, "data", "run.json"), "utf8")) as {
      children: Record<string, { pid: number }>;
    };
    const usersOf = async (name: string) => {
      const variables = (await readFile(`/proc/${children[name]?.pid}/environ`, "utf8")).split("\0");
      const urls = variables.filter((variable) => /^\w*(?:NATS|DATABASE)_URL/.test(variable));
      return urls.map((variable) => new URL(variable.slice(variable.indexOf("=") + 1)).username).sort();
    };
    expect(await usersOf("probe-runner")).toEqual(["probe-runner-default"]);
    expect(await usersOf("metrics")).toEqual(["metrics"]);
    const schemas = ["sonde_agent_ingest", "sonde_auth", "sonde_monitors", "sonde_notifier", "sonde_status_page"];
    const core = ["agent-ingest", "auth", "gateway", "monitors", "notifier", ...schemas, "status-page"];
    expect(await usersOf("core")).toEqual(core);
  },
);

it("loses nothing acknowledged when all processes are killed at once", async () => {
  const before = await call("GET", "/api/monitors");
  for (const pid of await processes()) process.kill(pid, "SIGKILL");
  await once(sonde, "close");

  await start();

  expect(await call("GET", "/api/auth/me")).toMatchObject({ user: { username: "admin", role: "admin" } });
  const [monitor] = (await call("GET", "/api/monitors")).monitors as { id: number; createdAt: string }[];
  expect(before.monitors).toMatchObject([{ id: monitor?.id, name: "kept", createdAt: monitor?.createdAt }]);
  expect((await call("GET", `/api/monitors/${monitor?.id}/checks`)).checks).not.toEqual([]);
});

it("takes over from a run of which only the supervisor was killed", async () => {
  const left = await processes();
  sonde.kill("SIGKILL");
  await once(sonde, "close");

  await start();

  expect(left.filter(isAlive)).toEqual([]);
  expect(await call("GET", "/api/monitors")).toMatchObject({ total: 1 });
});

it("ends its services and servers when it crashes", async () => {
  const running = await processes();
  expect(running.filter(isAlive)).toEqual(running);
  let errors = "";
  sonde.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));

  sonde.kill("SIGUSR2");
  const [code] = await once(sonde, "close");

  expect(code).toBe(1);
  expect(errors).toContain("Sonde is stopping because of an internal error: Error: unforeseen");
  await expect.poll(() => running.filter(isAlive)).toEqual([]);
  expect(await readFile(join(folder, "data", "run.json"), "utf8").catch(() => "gone")).toBe("gone");
  await start();
});

it("a stop ends all processes", async () => {
  const running = await processes();
  expect(running.filter(isAlive)).toEqual(running);

  sonde.kill("SIGTERM");
  const [code] = await once(sonde, "close");

  expect(code).toBe(0);
  expect(running.filter(isAlive)).toEqual([]);
});

it("services never violate their permissions on the bus", async () => {
  expect(await readFile(join(folder, "data", "nats", "nats-server.log"), "utf8")).not.toMatch(/Violation/);
});

it("a second signal ends everything at once", async () => {
  await start();
  const running = await processes();
  const [, stuck = 0] = running;
  process.kill(stuck, "SIGSTOP"); // Simulates a service that never drains.

  const closed = once(sonde, "close");
  sonde.kill("SIGTERM");
  // A signal shortly after the first is ignored.
  await expect.poll(() => sonde.kill("SIGTERM") && sonde.exitCode, { timeout: 20_000, interval: 500 }).not.toBe(null);
  const [code] = await closed;

  expect(code).toBe(1);
  await expect.poll(() => running.filter(isAlive)).toEqual([]);
});
