import { StartupError } from "@sonde/kit/service/startup-error";
import { fork } from "node:child_process";
import { join } from "node:path";
import type { StartupResponse, StartupRequest, StartupTasks } from "./child.ts";

/** Tasks reject with a StartupError whose message can be shown to the user. */
export type Startup = StartupTasks & { end: () => void };

/**
 * Starts a process that reads the configuration and prepares database and bus. It ends before Sonde is ready, because its
 * libraries would take 30 MiB of the supervisor, which runs as long as Sonde does.
 */
export function launchStartup(program = join(import.meta.dirname, "child.ts")): Startup {
  // In a new process group, Ctrl-C reaches only the supervisor.
  const child = fork(program, { detached: true });
  const run = (task: keyof StartupTasks, ...input: string[]) =>
    new Promise<never>((resolve, reject) => {
      child.on("message", (response: StartupResponse) => {
        if (response.task !== task) return;
        if ("error" in response) reject(new StartupError(response.error));
        else resolve(response.result as never);
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
