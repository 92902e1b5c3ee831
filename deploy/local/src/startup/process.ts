import { StartupError } from "@sonde/kit/service/startup-error";
import { fork } from "node:child_process";
import { join } from "node:path";
import type { StartupAnswer, StartupRequest, StartupTasks } from "./child.ts";

/** Tasks reject with a StartupError that has the lines to show. */
export type Startup = StartupTasks & { end: () => void };

/**
 * Starts the process that reads the configuration, prepares database and bus, and ends before Sonde is ready. Its
 * libraries would take 30 MiB of the supervisor, which runs for as long as Sonde does.
 */
export function launchStartup(program = join(import.meta.dirname, "child.ts")): Startup {
  // A process group of its own: Ctrl-C reaches only us.
  const child = fork(program, { detached: true });
  const run = (task: keyof StartupTasks, ...input: string[]) =>
    new Promise<never>((resolve, reject) => {
      child.on("message", (answer: StartupAnswer) => {
        if (answer.task !== task) return;
        if ("error" in answer) reject(new StartupError(answer.error));
        else resolve(answer.result as never);
      });
      child.once("error", reject);
      child.once("exit", (code, signal) =>
        reject(new StartupError(`The process that prepares the start exited (${signal ?? `code ${code}`}).`)),
      );
      child.send({ task, input } satisfies StartupRequest, (error) => error && reject(error));
    });
  return {
    readConfig: () => run("readConfig"),
    closeToOthers: (dataDir) => run("closeToOthers", dataDir),
    openRoles: (adminUrl) => run("openRoles", adminUrl),
    makeStreams: (adminUrl) => run("makeStreams", adminUrl),
    end: () => child.connected && child.disconnect(),
  };
}
