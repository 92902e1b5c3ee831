import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { freePort } from "@sonde/embedded/free-port";
import { launchOf } from "@sonde/kit/service/launch";

const main = fileURLToPath(import.meta.resolve("@sonde/probe-runner"));
// Same launch as in a deployment. Compiled sources are cached: compiling takes 20 MiB.
const { nodeFlags, environment: launchEnvironment } = launchOf("probe-runner");
const execArgv = ["--disable-warning=ExperimentalWarning", ...nodeFlags];
const compileCache = join(tmpdir(), "sonde-bench-compile-cache");

/** Total usage of a process. */
export interface Usage {
  cpuMs: number;
  rssMib: number;
}

export interface RunnerProcess {
  usage(): Promise<Usage>;
  /** Value of a metric, summed over its labels. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a runner in its own process and waits until it is ready. */
export async function startRunner(natsUrl: string, environment: NodeJS.ProcessEnv = {}): Promise<RunnerProcess> {
  const opsPort = await freePort();
  const child = fork(main, {
    execArgv,
    env: {
      PATH: process.env.PATH,
      ...launchEnvironment,
      NODE_COMPILE_CACHE: compileCache,
      NATS_URL: natsUrl,
      ...deriveKeys(randomBytes(32).toString("base64")),
      SONDE_LOCAL: "1",
      OPS_PORT: String(opsPort),
      LOG_LEVEL: "warn",
      // All targets of a benchmark are on one host.
      PROBE_MAX_PER_HOST: "2000",
      ...environment,
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => {
      throw new Error("the runner did not start");
    }),
  ]);
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    const lines = text.split("\n").filter((line) => new RegExp(`^${name}(\\{| )`).test(line));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  return {
    metric,
    async usage() {
      const cpuMs = (await metric("process_cpu_seconds_total")) * 1000;
      return { cpuMs, rssMib: (await metric("process_resident_memory_bytes")) / 2 ** 20 };
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
