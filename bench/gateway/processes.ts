import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@sonde/embedded/free-port";

export type Watched = {
  port: number;
  opsPort: number;
  /** What it spent so far. */
  cpuMs(): Promise<number>;
  /** By how much each of its 5 ms timers was late since this was last asked; they begin at the first question. */
  latenessMs(): Promise<number[]>;
  stop(): Promise<void>;
};

const here = (path: string) => join(import.meta.dirname, path);
/** `--profile=<folder>` leaves a CPU profile of each process there. */
const profiles = process.argv.find((text) => text.startsWith("--profile="))?.slice("--profile=".length);

/** Starts a script that listens on PORT, and says when it does. */
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

/** Starts a client and returns what it sends, or what it sends first. */
export function startClient(script: string, ...args: (string | number)[]): ChildProcess {
  return fork(here(script), args.map(String));
}

/** The next message of a process. @throws where it ends without one */
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
