import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What Node is to run. */
export type NodeProgram = {
  name: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  folder?: string;
};

export type Programs = {
  start: (program: NodeProgram) => void;
  /** Asks all to end, and settles when they have; what does not end within 28 s is killed. */
  stop: () => Promise<void>;
  kill: () => void;
};

export type ProgramsOptions = {
  /** Gets each line that a program prints. */
  show: (name: string, line: string) => void;
  onStarted: (name: string, pid: number) => void;
};

const drainMs = 28_000;

/** Programs that run in parallel until `stop`, and whose lines are prefixed by name. */
export function openPrograms({ show, onStarted }: ProgramsOptions): Programs {
  const children: ChildProcess[] = [];
  const ended = (child: ChildProcess) =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    start({ name, args, environment, folder }) {
      // A process group of its own: Ctrl-C reaches us alone, and we stop it before the servers.
      const child = spawn(process.execPath, args, {
        env: environment,
        cwd: folder,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on("line", (line) => show(name, line));
      child.on("error", (fault) => show(name, fault.message));
      child.once("exit", (code, signal) => show(name, `ended (${signal ?? `code ${code}`})`));
      if (child.pid !== undefined) onStarted(name, child.pid);
    },
    async stop() {
      await Promise.all(
        children
          .filter((child) => !ended(child))
          .map(async (child) => {
            const exit = new Promise((resolve) => child.once("exit", resolve));
            child.kill("SIGTERM");
            const limit = setTimeout(() => killGroup(child), drainMs);
            await exit;
            clearTimeout(limit);
          }),
      );
    },
    kill() {
      for (const child of children) if (!ended(child)) killGroup(child);
    },
  };
}

/** A watcher would leave what it watches behind. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}
