import { freePort } from "@sonde/embedded/free-port";
import { StartupError } from "@sonde/kit/service/startup-error";
import { type ServiceName, serviceNames } from "@sonde/proto/services";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { cloneDir } from "../clone.ts";
import { localAddress } from "../supervisor/listening.ts";
import { processEnvironment, serviceEnvironment } from "../supervisor/processes.ts";
import type { Terminal } from "../terminal.ts";
import type { RunningServices, RunServices, Stage } from "../supervisor/run-services.ts";

const firstInspectPort = 9229;
const pollEveryMs = 250;

/**
 * Runs the services of `npm run dev`, each in a process that restarts when one of its modules changes. Vite serves the web
 * app, replaces changed modules in the page, and forwards API calls to the gateway.
 * @param inspected services that a debugger can be attached to
 */
export function watchServices(inspected: readonly ServiceName[]): RunServices {
  return ({ config, environment, keys, servers, terminal, onStarted, orStopped }: Stage): RunningServices => {
    const stopping = new AbortController();
    const programs = openPrograms({ show: terminal.service, onStarted });
    const start = async () => {
      const [nats, database] = await orStopped(Promise.all([servers.natsUrls, servers.databaseUrls]));
      terminal.info("Starting the services …");
      const agentIngestPort = String(await freePort());
      const common = {
        AGENT_INGEST_PORT: agentIngestPort,
        AGENT_INGEST_URL: `http://127.0.0.1:${agentIngestPort}`,
        ...environment,
      };
      for (const name of serviceNames) {
        const own = serviceEnvironment(name, processEnvironment(common, [name], { nats, database, keys }));
        programs.start(serviceProgram(name, own, inspected));
      }
      const gateway = localAddress(config.HOST, config.PORT);
      programs.start(webProgram(config.SONDE_WEB_PORT, gateway, environment));
      await orStopped(waitForGateway(gateway, stopping.signal));
      return [localAddress("127.0.0.1", config.SONDE_WEB_PORT)];
    };
    return {
      ready: start(),
      stop() {
        stopping.abort();
        return programs.stop();
      },
      kill: programs.kill,
    };
  };
}

/** Waits without a time limit, because the developer may have to fix a service first. */
async function waitForGateway(gateway: string, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const response = await fetch(`${gateway}/api/config`, { signal: stopping }).catch(() => undefined);
    if (response?.ok) return;
    await sleep(pollEveryMs, undefined, { signal: stopping }).catch(() => {});
  }
}

/** @throws StartupError if `--inspect=` names an unknown service */
export function inspectedIn(args: readonly string[]): ServiceName[] {
  const named = args.flatMap((arg) => /^--inspect=(.+)/.exec(arg)?.[1]?.split(",") ?? []);
  const unknown = named.filter((name) => !serviceNames.some((service) => service === name));
  if (unknown.length > 0)
    throw new StartupError(
      `Unknown service to inspect: ${unknown.join(", ")}. Choose from ${serviceNames.join(", ")}.`,
    );
  return named as ServiceName[];
}

export function serviceProgram(
  name: ServiceName,
  environment: NodeJS.ProcessEnv,
  inspected: readonly ServiceName[],
): NodeProgram {
  const at = inspected.indexOf(name);
  const inspect = at < 0 ? [] : [`--inspect=127.0.0.1:${firstInspectPort + at}`];
  const entry = join(cloneDir, "services", name, "src/main.ts");
  return { name, args: ["--watch", "--watch-preserve-output", ...inspect, entry], environment };
}

function webProgram(port: number, gateway: string, environment: NodeJS.ProcessEnv): NodeProgram {
  const vite = join(cloneDir, "node_modules/vite/bin/vite.js");
  const args = [vite, "--host", "127.0.0.1", "--port", String(port), "--strictPort", "--clearScreen", "false"];
  return { name: "web", args, environment: { ...environment, SONDE_API: gateway }, folder: join(cloneDir, "web") };
}

type NodeProgram = {
  name: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  folder?: string;
};

export type Programs = ReturnType<typeof openPrograms>;

const drainMs = 28_000;

/**
 * @param show receives each line that a program prints
 */
export function openPrograms({ show, onStarted }: Pick<Stage, "onStarted"> & { show: Terminal["service"] }) {
  const running = new Map<ChildProcess, Promise<void>>();
  const kill = () => {
    for (const { pid } of running.keys()) {
      try {
        // The whole process group, because a killed watcher does not end its child.
        if (pid !== undefined) process.kill(-pid, "SIGKILL");
      } catch {
        // Already ended.
      }
    }
  };
  return {
    start({ name, args, environment, folder }: NodeProgram): void {
      // In a new process group, Ctrl-C reaches only the supervisor, which stops the programs before the servers.
      const child = spawn(process.execPath, args, {
        env: environment,
        cwd: folder,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on("line", (line) => show(name, line));
      const ended = once(child, "exit").then(
        ([code, signal]: (number | string | null)[]) => show(name, `ended (${signal ?? `code ${code}`})`),
        (fault: Error) => show(name, fault.message),
      );
      running.set(
        child,
        ended.finally(() => running.delete(child)),
      );
      if (child.pid !== undefined) onStarted(name, child.pid);
    },
    /** Resolves when all have ended. After 28 s, kills the rest. */
    async stop(): Promise<void> {
      for (const child of running.keys()) child.kill("SIGTERM");
      const limit = setTimeout(kill, drainMs);
      await Promise.all(running.values());
      clearTimeout(limit);
    },
    kill,
  };
}
