import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, renameSync } from "node:fs";
import { endProcess } from "./process-identity.ts";

export type ServerCommand = {
  program: string;
  args: string[];
  /** The log of the previous run is kept with the suffix `.1`. */
  logFile: string;
  cwd: string;
  account?: { uid: number; gid: number };
  environment?: Readonly<Record<string, string>>;
  stopSignal: NodeJS.Signals;
};

const stopPatienceMs = 15_000;

/**
 * Starts a server in its own process group: Ctrl-C reaches only us, so services drain before their bus and database
 * stop. It logs to a file, because a pipe would break when we exit.
 */
export async function startServerProcess(command: ServerCommand) {
  keepLastLog(command.logFile);
  const log = openSync(command.logFile, "a", 0o600);
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    detached: true,
    stdio: ["ignore", log, log],
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC", ...command.environment },
    ...command.account,
  });
  closeSync(log);
  let ended = false;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve())).then(() => void (ended = true));
  await once(child, "spawn");
  const pid = child.pid as number;
  return {
    pid,
    exited,
    hasExited: () => ended,
    output: () => readFileSync(command.logFile, "utf8"),
    async stop() {
      if (!ended) await Promise.all([exited, endProcess(pid, command.stopSignal, stopPatienceMs)]);
    },
  };
}

function keepLastLog(path: string): void {
  try {
    renameSync(path, `${path}.1`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
