import { freePort } from "@sonde/embedded/free-port";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { killTree, leaveAlone } from "./process-tree.ts";

const root = resolve(import.meta.dirname, "..");
const startPatienceMs = 120_000;
/** With a download folder set, Sonde builds no agents. A build would take CPU from the tests. */
const noAgents = join(root, "agent/dist");

/** A whole Sonde as `npm start` runs it, on a free port with its own data directory. */
export type Product = {
  url: string;
  dataDir: string;
  /** Output so far. */
  output(): string;
  /** Id of the top-level process. */
  pid(): number;
  /** Starts again on the same data directory, after `stop`. */
  start(): Promise<void>;
  /** Sends SIGINT and waits. */
  stop(): Promise<void>;
  /** Kills (kill -9) all its processes, servers included, and starts again on the same data directory. */
  killAndStart(): Promise<void>;
  /** Kills (kill -9) everything except the gateway: servers, supervisor, other services. Only `remove` may follow. */
  leaveGatewayAlone(): Promise<void>;
  /** Stops Sonde and deletes the data directory. Rejects if nats-server denied a service something. */
  remove(): Promise<void>;
};

/**
 * @param environment with a `PORT` if the address must be known beforehand, for example for `PUBLIC_URL`
 * @param enter file of a cgroup; the product writes its id to it before it starts
 */
export async function startProduct(environment: Record<string, string> = {}, enter?: string): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), "sonde-e2e-"));
  const port = environment["PORT"] ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  let output = "";
  let child: ChildProcess;

  const start = async () => {
    const command = `${enter === undefined ? "" : `echo $$ > ${enter} && `}exec sh deploy/local/start`;
    child = spawn("sh", ["-c", command], {
      cwd: root,
      env: {
        ...process.env,
        PORT: String(port),
        SONDE_DATA_DIR: dataDir,
        AGENT_DOWNLOAD_DIR: noAgents,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no address within ${startPatienceMs} ms:\n${output}`)),
        startPatienceMs,
      );
      const settle = (error?: Error) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      };
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue;
        createInterface({ input: stream }).on("line", (line) => {
          output += `${line}\n`;
          if (line.includes(url)) settle();
        });
      }
      child.once("exit", (code) => settle(new Error(`npm start ended with ${code}:\n${output}`)));
    }).catch(async (fault: unknown) => {
      // The caller has no handle for cleaning up yet.
      if (child.pid !== undefined) await killTree(child.pid);
      throw fault;
    });
  };
  const ended = () =>
    child.exitCode !== null || child.signalCode !== null
      ? Promise.resolve()
      : new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let isCut = false;
  const stop = async () => {
    if (isCut && child.pid !== undefined) await killTree(child.pid);
    else child.kill("SIGINT");
    await ended();
  };

  await start();
  return {
    url,
    dataDir,
    output: () => output,
    pid: () => child.pid ?? 0,
    start,
    stop,
    killAndStart: async () => {
      if (child.pid !== undefined) await killTree(child.pid);
      await ended();
      await start();
    },
    leaveGatewayAlone: async () => {
      isCut = true;
      if (child.pid !== undefined) await leaveAlone(child.pid, /child\.js core\b/);
    },
    remove: async () => {
      await stop();
      const log = await readFile(join(dataDir, "nats", "nats-server.log"), "utf8").catch(() => "");
      await rm(dataDir, { recursive: true, force: true });
      const refused = log.split("\n").filter((line) => line.includes("Violation"));
      if (refused.length > 0)
        throw new Error(`proto/permissions.ts lacks what a service needs:\n${refused.join("\n")}`);
    },
  };
}
