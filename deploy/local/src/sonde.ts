import { calloutIssuer } from "@sonde/kit/bus/callout";
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

/** Thrown if a stop cancels the start. */
export class Stopped extends Error {}

/**
 * A starting or running Sonde. `ready` rejects if it cannot start. `stop` drains; `kill` ends every process immediately and
 * unlocks the data directory. Both work at any time, including during the start.
 */
export type Sonde = { ready: Promise<void>; stop: () => Promise<void>; kill: () => void };

/**
 * Checks what could prevent a start, then starts everything.
 * @param startup ended by this function
 * @param showsAll prints all output of the services, not only warnings
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
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    // Opened first, so that a container's liveness check succeeds during a slow start.
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
    const run = await takeDataDir(dataDir, print);
    stops.unshift(async () => run.remove());
    kills.push(run.remove);
    stopping.promise.catch(run.noteStopping);
    await orStopped(checkAddress(config.HOST, config.PORT));
    await startup.closeToOthers(dataDir);
    const logFile = join(dataDir, "logs", "sonde.log");
    const terminal = openTerminal(logFile, showsAll);
    const existingKey = config.SONDE_SECRET_KEY ?? (await readSecretKey(dataDir));
    const keys = deriveKeys(existingKey ?? (await keepSecretKey(dataDir)));

    const issuer = calloutIssuer(keys.SONDE_KEY_CALLOUT).publicKey;
    const servers = startServers(config, dataDir, terminal, startup, issuer);
    void Promise.allSettled([servers.databaseUrls, servers.natsUrls]).then(startup.end);
    stops.unshift(servers.stop);
    kills.push(servers.kill);
    const setupCode = newSetupCode(config.HOST);
    services = runServices({
      config,
      environment: {
        ...commonEnvironment(process.env),
        // Resolved once, because later builds must not affect the running services.
        WEB_DIST: process.env["WEB_DIST"] || builtFolder("web"),
        DOCS_DIST: process.env["DOCS_DIST"] || builtFolder("docs"),
        SONDE_DATA_DIR: dataDir,
        SONDE_LOCAL: "1",
        ...(setupCode !== undefined && { AUTH_SETUP_CODE: setupCode }),
        // No other runner has the passwords of the embedded bus.
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
      // The installation's key is missing; a new one must not take its place.
      const isUnknownKey = fault instanceof StartupError && fault.message.includes(unknownKey);
      if (isUnknownKey && existingKey === undefined) await forgetSecretKey(dataDir);
      throw fault;
    });
    hasStarted = true;
    if (config.SONDE_BACKUP_SCHEDULE !== undefined) {
      const { scheduleBackups } = await import("./backup/scheduled.ts");
      stops.unshift(scheduleBackups(config, dataDir, terminal).stop);
    }
    if (setupCode !== undefined && (await orStopped(needsFirstAccount(localAddress(config.HOST, config.PORT)))))
      print(`The first account needs the setup code: ${setupCode}`);
    print(`Sonde is ready: ${addresses.join(" or ")}`);
  };

  const ready = start();
  return {
    ready,
    async stop() {
      stopping.reject(new Stopped());
      // A step in progress completes first and may add something to stop.
      await ready.catch(() => {});
      for (const stop of stops.splice(0)) await stop();
    },
    kill() {
      for (const kill of kills.splice(0).reverse()) {
        try {
          kill();
        } catch {
          // Already exited.
        }
      }
    },
  };
}
