import { createLog, type Log } from "@sonde/kit/service/log";
import type { Service } from "@sonde/kit/service/lifecycle";
import { StartupError } from "@sonde/kit/service/startup-error";
import { reportWait, untilReady } from "@sonde/kit/service/waiting";
import { revokedExitCode, tokenRefusedExitCode } from "@sonde/proto/http/monitors/runner-install";
import { hash } from "node:crypto";
import { type Config, readConfig } from "../config.ts";
import { connectThroughGateway } from "../gateway-bus.ts";
import { readRemoteConfig, type RemoteConfig } from "./config.ts";
import { checkFolder, type RunnerIdentity, keepIdentity, readIdentity } from "./identity.ts";
import { readSettings, RefusedError, register, type RunnerSettings } from "./requests.ts";
import { hasOtherMinor } from "./version.ts";
import { trustAuthorities } from "@sonde/kit/service/authorities";

/** Settings of a remote runner in addition to its configuration. */
export type Remote = {
  runnerId: number;
  connect: ReturnType<typeof connectThroughGateway>;
  /** A definition could not be opened: the location may have a new key. */
  onUnreadable: () => void;
};

type StartRunner = (config: Config, remote: Remote) => Promise<Service>;

const checkAgainMs = 60_000;

/**
 * Registers at the first start, then runs with the settings that Sonde returns. Starts again with the new settings if
 * the location's key changed. The process exits with 3 if the token is refused, and with 4 once the runner is revoked.
 */
export async function startRemote(environment: NodeJS.ProcessEnv, startRunner: StartRunner): Promise<Service> {
  const remote = readRemoteConfig(environment);
  // Remote users must not reach this machine's own services.
  const given = { HOST: "0.0.0.0", ...environment, NATS_URL: "wss://gateway", PROBE_LOCATION: "remote" };
  const general = readConfig({ ...given, SONDE_KEY_CHECK: Buffer.alloc(32).toString("base64") });
  if (general.CA_FILE !== undefined) trustAuthorities(general.CA_FILE);
  const log = createLog("probe-runner", general.LOG_LEVEL);
  const identity = await identify(remote, log);
  const read = () => settingsOf(remote, identity, log);
  let checkedMs = Number.NEGATIVE_INFINITY;

  const begin = (settings: RunnerSettings): Promise<Service> => {
    const check = () => {
      if (performance.now() - checkedMs < checkAgainMs) return;
      checkedMs = performance.now();
      read().then((current) => (current.keys === settings.keys ? undefined : renew(current)), onFailure);
    };
    const config = { ...general, PROBE_LOCATION: settings.location, SONDE_KEY_CHECK: settings.keys };
    const connect = connectThroughGateway(identity, check);
    return startRunner(config, { runnerId: settings.runnerId, connect, onUnreadable: check });
  };
  const onFailure = (err: unknown) => log.warn({ err }, "the settings of this runner cannot be read");
  const renew = async (settings: RunnerSettings) => {
    log.info("the key of this location has changed");
    await (await running).stop();
    running = begin(settings);
    await running;
  };
  let running = read().then(begin);
  await running;
  return { stop: async () => (await running).stop() };
}

/** Returns the stored identity. A token that it was not registered with replaces it. */
async function identify(config: RemoteConfig, log: Log): Promise<RunnerIdentity> {
  const { url, token, folder } = config;
  const stored = await readIdentity(folder);
  const tokenHash = token === undefined ? undefined : hash("sha256", token, "hex");
  if (stored !== null && (tokenHash === undefined || stored.tokenHash === tokenHash)) {
    return { ...stored, url };
  }
  if (token === undefined || tokenHash === undefined)
    throw new StartupError("SONDE_TOKEN is not set: add a location in Sonde, and start this runner with its token");
  await checkFolder(folder);
  const { runnerId, key, location } = await untilReady(reportWait(log, url), () => register(config, token), {
    waitsFor: isTemporary,
  }).catch((error: unknown) => quit(error, tokenRefusedExitCode));
  const identity = { url, runnerId, key, tokenHash };
  await keepIdentity(folder, identity);
  log.info({ runnerId, location }, "registered");
  return identity;
}

async function settingsOf(config: RemoteConfig, { key }: RunnerIdentity, log: Log): Promise<RunnerSettings> {
  const settings = await untilReady(reportWait(log, config.url), () => readSettings(config, key), {
    waitsFor: isTemporary,
  }).catch((error: unknown) => quit(error, revokedExitCode));
  if (hasOtherMinor(settings.version))
    log.warn({ version: settings.version }, "Sonde has another version: update this runner");
  return settings;
}

const isTemporary = (error: unknown) => !(error instanceof RefusedError) || error.temporary;

/** Service managers do not restart a runner after these codes. */
function quit(error: unknown, code: number): never {
  process.stderr.write(`probe-runner: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(code);
}
