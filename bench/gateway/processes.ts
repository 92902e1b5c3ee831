import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@sonde/embedded/free-port";

export type Watched = {
  port: number;
  opsPort: number;
  /** Total CPU time. */
  cpuMs(): Promise<number>;
  /** Lateness of each 5 ms timer since the last call. Timers start with the first call. */
  latenessMs(): Promise<number[]>;
  stop(): Promise<void>;
};

const here = (path: string) => join(import.meta.dirname, path);
/** `--profile=<folder>` writes a CPU profile of each process there. */
const profiles = process.argv.find((text) => text.startsWith("--profile="))?.slice("--profile=".length);

/** Starts a script that listens on PORT, and resolves when it is ready. */
export async function startWatched(script: string, environment: Record<string, string> = {}): Promise<Watched> {
  if (profiles !== undefined) await mkdir(profiles, { recursive: true });
  const [port, opsPort] = [await freePort(), await freePort()];
  const child = fork(here(script), {
    env: { ...process.env, LOG_LEVEL: "warn", ...environment, PORT: String(port), OPS_PORT: String(opsPort) },
    execArgv: [`--import=${here("watched.ts")}`, ...(profiles ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [])],
  });
  await answerOf(child);
  return {
    port,
    opsPort,
    cpuMs: () => {
      child.send("cpu");
      return answerOf(child) as Promise<number>;
    },
    latenessMs: () => {
      child.send("lateness");
      return answerOf(child) as Promise<number[]>;
    },
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Starts a client script. It reports through process messages. */
export function startClient(script: string, ...args: (string | number)[]): ChildProcess {
  return fork(here(script), args.map(String));
}

/** The next message of a process. @throws if it exits without one */
export function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => settle(() => reject(new Error(`${child.spawnargs.at(1)} ended without an answer`)));
    const onMessage = (message: unknown) => settle(() => resolve(message));
    const settle = (act: () => void) => {
      child.off("message", onMessage).off("exit", onExit);
      act();
    };
    child.on("message", onMessage).on("exit", onExit);
  });
}
