import { deriveKeys, unknownKey } from "@sonde/kit/secret-keys";
import { join } from "node:path";
import { builtFolder } from "./clone.ts";
import type { Config } from "./config.ts";
import { forgetSecretKey, keepSecretKey, openDataDir, readSecretKey } from "./data-dir.ts";
import { startServers } from "./embedded/servers.ts";
import { checkAddress, localAddress } from "./supervisor/listening.ts";
import { takeDataDir } from "./run-file.ts";
import { needsFirstAccount, newSetupCode } from "./setup-code.ts";
import type { Startup } from "./startup/process.ts";
import type { RunServices, RunningServices } from "./supervisor/run-services.ts";
import { commonEnvironment } from "./supervisor/processes.ts";
import { StartupError } from "@sonde/kit/service/startup-error";
import { openTerminal } from "./terminal.ts";

/** The start was cancelled by a request to stop. */
export class Stopped extends Error {}

/**
 * A Sonde that starts or runs. `ready` rejects if it cannot start. `stop` drains; `kill` ends every process at once and
 * frees the data folder. Both work at any time, even during the start.
 */
export type Sonde = { ready: Promise<void>; stop: () => Promise<void>; kill: () => void };

/**
 * Starts everything, after it has checked what can prevent a start.
 * @param startup ended here
 * @param runServices runs the services in three processes, or each in one that restarts on change
 * @param showsAll shows every line of the services, not only warnings
 */
export function startSonde(config: Config, startup: Startup, runServices: RunServices, showsAll = false): Sonde {
  const stops: (() => Promise<unknown>)[] = [];
  const kills: (() => void)[] = [];
  const stopping = Promise.withResolvers<never>();
  stopping.promise.catch(() => {});
  const orStopped = <T>(step: Promise<T>): Promise<T> => Promise.race([step, stopping.promise]);

  let services: RunningServices | undefined;
  let hasStarted = false;

  const start = async () => {
    const say = (line: string) => void process.stdout.write(`${line}\n`);
    // First of all, so that a container's liveness check succeeds during a slow start.
    if (config.OPS_PORT !== 0) {
      const { openOps } = await import("./ops.ts");
      const ops = await openOps(config.OPS_PORT, config.HOST, {
        started: () => hasStarted,
        processes: () => services?.processes?.() ?? new Map(),
      });
      stops.unshift(ops.stop);
      stopping.promise.catch(ops.drain);
    }
    const dataDir = await openDataDir(config.SONDE_DATA_DIR);
    const run = await takeDataDir(dataDir, say);
    stops.unshift(async () => run.remove());
    kills.push(run.remove);
    stopping.promise.catch(run.noteStopping);
    await orStopped(checkAddress(config.HOST, config.PORT));
    await startup.closeToOthers(dataDir);
    const logFile = join(dataDir, "logs", "sonde.log");
    const terminal = openTerminal(logFile, showsAll);
    const knownKey = config.SONDE_SECRET_KEY ?? (await readSecretKey(dataDir));
    const keys = deriveKeys(knownKey ?? (await keepSecretKey(dataDir)));

    const servers = startServers(config, dataDir, terminal, startup);
    void Promise.allSettled([servers.databaseUrls, servers.natsUrls]).then(startup.end);
    stops.unshift(servers.stop);
    kills.push(servers.kill);
    const setupCode = newSetupCode(config.HOST);
    services = runServices({
      config,
      environment: {
        ...commonEnvironment(process.env),
        // Resolved once: whatever is built later, these services go on with the files that they list now.
        WEB_DIST: process.env["WEB_DIST"] || builtFolder("web"),
        DOCS_DIST: process.env["DOCS_DIST"] || builtFolder("docs"),
        SONDE_DATA_DIR: dataDir,
        SONDE_LOCAL: "1",
        ...(setupCode !== undefined && { AUTH_SETUP_CODE: setupCode }),
        // Nothing else knows the passwords of the embedded bus.
        SONDE_SOLE_RUNNER: Object.keys(config.natsUrls).length === 0 ? "1" : "0",
        OPS_PORT: "0",
      },
      keys,
      servers,
      terminal,
      slowHint: `see ${logFile}.`,
      onStarted: run.noteChild,
      orStopped,
    });
    stops.unshift(services.stop);
    kills.push(services.kill);
    const addresses = await services.ready.catch(async (fault: unknown) => {
      // The new key was made for an installation whose own key is missing.
      const isRefused = fault instanceof StartupError && fault.message.includes(unknownKey);
      if (isRefused && knownKey === undefined) await forgetSecretKey(dataDir);
      throw fault;
    });
    hasStarted = true;
    if (config.SONDE_BACKUP_SCHEDULE !== undefined) {
      const { scheduleBackups } = await import("./backup/scheduled.ts");
      stops.unshift(scheduleBackups(config, dataDir, terminal).stop);
    }
    if (setupCode !== undefined && (await orStopped(needsFirstAccount(localAddress(config.HOST, config.PORT)))))
      say(`The first account needs the setup code: ${setupCode}`);
    say(`Sonde is ready: ${addresses.join(" or ")}`);
  };

  const ready = start();
  return {
    ready,
    async stop() {
      stopping.reject(new Stopped());
      // A step that has begun ends first, and then leaves something to stop.
      await ready.catch(() => {});
      for (const stop of stops.splice(0)) await stop();
    },
    kill() {
      for (const kill of kills.splice(0).reverse()) {
        try {
          kill();
        } catch {
          // It has already exited.
        }
      }
    },
  };
}
