import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, renameSync } from "node:fs";
import { endProcess } from "./process-identity.ts";

export type ServerCommand = {
  program: string;
  args: string[];
  /** The log of the last run is kept beside it, with `.1`. */
  logFile: string;
  cwd: string;
  account?: { uid: number; gid: number };
  environment?: Readonly<Record<string, string>>;
  stopSignal: NodeJS.Signals;
};

const stopPatienceMs = 15_000;

/**
 * Starts a server in a process group of its own, so that Ctrl-C in a terminal reaches only us and the services can
 * drain before their bus and their database stop. It writes to a file, since a pipe to us would break it when we exit.
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
    /** Settles when the program has ended, however it came to that. */
    exited,
    hasExited: () => ended,
    /** The program's output so far, for the message why it did not start. */
    output: () => readFileSync(command.logFile, "utf8"),
    async stop() {
      if (!ended) await Promise.all([exited, endProcess(pid, command.stopSignal, stopPatienceMs)]);
    },
  };
}

function keepLastLog(path: string): void {
  try {
    renameSync(path, `${path}.1`);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== "ENOENT") throw fault;
  }
}
