import { type Child, startChild } from "./child-process.ts";
import type { ProcessName } from "./processes.ts";
import type { Terminal } from "./terminal.ts";

/** The service processes of one Sonde. */
export type Children = {
  /** Starts processes; settles when all are up, rejects when one could not start. */
  begin: (names: readonly ProcessName[], environment: NodeJS.ProcessEnv) => Promise<void>;
  /** Lets the gateway listen; settles when it does. */
  open: () => Promise<void>;
  /** Each process that was begun. */
  all: () => ReadonlyMap<ProcessName, Pick<Child, "isUp" | "metrics">>;
  stop: () => Promise<void>;
  kill: () => void;
};

const firstReminderMs = 10_000;
const longestReminderMs = 300_000;

/** @param slowHint Where more is told about a process that takes long. */
export function startChildren(
  terminal: Terminal,
  slowHint: string,
  onStarted: (name: string, pid: number) => void,
): Children {
  const children = new Map<ProcessName, Child>();
  const waitingFor = new Set<string>();
  // After 10, 20, 40 … s: who waits for a server that never comes is not told of it a thousand times.
  let reminder: NodeJS.Timeout;
  const remindAfter = (waitMs: number) => {
    reminder = setTimeout(() => {
      const names = [...waitingFor].join(", ");
      if (names !== "") terminal.warn(`Still waiting for ${names}; ${slowHint}`);
      remindAfter(Math.min(waitMs * 2, longestReminderMs));
    }, waitMs);
  };
  remindAfter(firstReminderMs);

  const whileWaiting = async (name: string, step: Promise<void>) => {
    waitingFor.add(name);
    await step;
    waitingFor.delete(name);
  };
  const beginOne = (name: ProcessName, environment: NodeJS.ProcessEnv) => {
    const child = startChild({ name, environment, terminal, onStarted: (pid) => onStarted(name, pid) });
    children.set(name, child);
    return whileWaiting(name, child.ready);
  };
  return {
    async begin(names, environment) {
      await Promise.all(names.map((name) => beginOne(name, environment)));
    },
    open: () => whileWaiting("the gateway", children.get("core")?.open() ?? Promise.resolve()),
    all: () => children,
    async stop() {
      clearTimeout(reminder);
      await Promise.all([...children.values()].map((child) => child.stop()));
    },
    kill() {
      for (const child of children.values()) child.kill();
    },
  };
}
