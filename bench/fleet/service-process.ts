import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "@sonde/embedded/free-port";

export type ServiceProcess = {
  /** Total CPU time. */
  cpuMs(): Promise<number>;
  /** Value of a metric, summed over its labels. */
  metric(name: string): Promise<number>;
  /** True if all readiness checks pass. */
  ready(): Promise<boolean>;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

/** Starts a service's main module in its own process, and resolves when it reports that it runs. */
export async function startService(
  specifier: string,
  environment: NodeJS.ProcessEnv,
  execArgv: readonly string[] = [],
): Promise<ServiceProcess> {
  const opsPort = await freePort();
  const child = fork(fileURLToPath(import.meta.resolve(specifier)), {
    execArgv: [...execArgv],
    env: { PATH: process.env.PATH, OPS_PORT: String(opsPort), LOG_LEVEL: "warn", ...environment },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  await Promise.race([
    once(child, "message"),
    exited.then(() => {
      throw new Error(`${specifier} did not start`);
    }),
  ]);
  const ops = (path: string) => fetch(`http://127.0.0.1:${opsPort}${path}`);
  const metric = async (name: string) => {
    const lines = (await (await ops("/metrics")).text()).split("\n");
    const found = lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return found.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return {
    metric,
    cpuMs: async () => (await metric("process_cpu_seconds_total")) * 1000,
    ready: async () => (await ops("/readyz")).status === 200,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
